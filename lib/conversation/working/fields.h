// The key-value fields of a conversation (AEGIS working memory) as values: decodes the writes of
// requests and merges them. Pure.
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
inline constexpr int64_t kDefaultFieldTtlMs = 86'400 * 1000;  // of fields without an own TTL

struct FieldChanges {
  base::Json fields = base::Json::object();
  std::optional<int64_t> ttl_ms;  // of the conversation, until another is given
};

// {"fields": {name: any JSON}, "ttl_seconds"?}. kInvalid: another shape or type; scratchpad is a
// string, entities a list of objects, and either may be null.
base::Result<FieldChanges> DecodeFieldChanges(const base::Json& body);
// The names to delete: {"fields": [name…]} of `body` (may be empty), and the comma-separated names
// of `query`; nullopt: all.
base::Result<std::optional<std::vector<std::string>>> DecodeFieldNames(
    std::string_view body, const std::optional<std::string>& query);
// The version of an If-Match header, with or without quotes; nullopt: no header, or *.
base::Result<std::optional<int64_t>> DecodeIfMatch(const std::optional<std::string>& header);

// The bytes of names and of values as JSON text.
size_t BytesOfFields(const base::Json& fields);
// Merges `changes` into `fields` by name; null is a value. kTooLarge: over kMaxWorkingBytes.
base::Result<base::Json> MergeWorkingFields(base::Json fields, const base::Json& changes);

}  // namespace conversation
