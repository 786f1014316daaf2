// JSON is the one data type that crosses layers. Parsed strictly, written as UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

// json.cc instantiates it once; without this each unit compiles its own copy, a twelfth of a build.
extern template class nlohmann::basic_json<>;

namespace base {

using Json = nlohmann::json;

struct JsonLimits {
  size_t max_depth = 64;
  size_t max_keys = 10'000;  // of one object
};

// Strict: one value without further text; no duplicate keys, bad UTF-8, lone surrogates, NUL
// characters in strings, NaN or numbers out of range; else kInvalid with the reason. An empty text
// is kInvalid. kUnavailable, kTooLarge: the request's memory budget does not grant the values.
Result<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

// The number of duplicate keys; `top_duplicates`: those of the outermost object.
struct DuplicateKeys {
  size_t duplicates = 0;
  size_t top_duplicates = 0;
};

// Like ParseJson, but counts duplicate keys instead of refusing them. The last value keeps the
// name, as in most parsers; an earlier value is kept under the name with a suffix of '_' and '-'.
Result<Json> ParseJson(std::string_view text, const JsonLimits& limits, DuplicateKeys* duplicates);

// Never throws: bytes that are not UTF-8 become U+FFFD.
std::string DumpJson(const Json& value);

// Typed look-ups in an object: nullopt when the field is absent or null, kInvalid (naming the
// field) when it has another type. `object` must be an object.
Result<std::optional<std::string>> OptionalString(const Json& object, const char* field);
Result<std::optional<int64_t>> OptionalInt(const Json& object, const char* field);
Result<std::optional<bool>> OptionalBool(const Json& object, const char* field);
// Absent or null is kInvalid too.
Result<std::string> RequiredString(const Json& object, const char* field);

// The value at a path of keys, or nullptr: At(pod, {"spec", "nodeName"}). Points into `value`.
const Json* At(const Json& value, std::initializer_list<const char*> path);
// The string at a path, or `fallback`.
std::string StringAt(const Json& value, std::initializer_list<const char*> path,
                     std::string_view fallback = {});

}  // namespace base
