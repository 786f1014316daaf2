// The key-value fields of a conversation (AEGIS working memory) as values: what a request may
// write, and what that makes of the fields that are there. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace conversation {

inline constexpr size_t kMaxWorkingBytes = 65'536;            // of a conversation's fields
inline constexpr int64_t kMaxFieldTtlSeconds = 31'536'000;    // a year
inline constexpr int64_t kDefaultFieldTtlMs = 86'400 * 1000;  // of a conversation without its own

struct FieldChanges {
  base::Json fields = base::Json::object();
  std::optional<int64_t> ttl_ms;  // in force for the conversation until another is given
};

// {"fields": {name: any JSON}, "ttl_seconds"?}. kInvalid: another shape or type; scratchpad is a
// string, entities a list of objects, and either may be null.
base::Result<FieldChanges> DecodeFieldChanges(const base::Json& body);
// The names to delete: {"fields": [name…]} of a body (empty: none was sent), and `query`, names
// between commas; nullopt: all.
base::Result<std::optional<std::vector<std::string>>> DecodeFieldNames(
    std::string_view body, const std::optional<std::string>& query);
// The number of an If-Match header, in quotes or without; nullopt: there is none, or it is *.
base::Result<std::optional<int64_t>> DecodeIfMatch(const std::optional<std::string>& header);

// The bytes of names and of values as JSON text.
size_t BytesOfFields(const base::Json& fields);
// `changes` over `fields` by name; null is a value. kTooLarge over kMaxWorkingBytes.
base::Result<base::Json> MergeWorkingFields(base::Json fields, const base::Json& changes);

}  // namespace conversation
