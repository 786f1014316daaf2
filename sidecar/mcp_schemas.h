// The JSON Schemas (2020-12) that the memory tools are described with. Only the words that
// mcp_arguments.h checks are used for input. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/json.h"

namespace sidecar {

inline constexpr int64_t kMaxId = (int64_t{1} << 53) - 1;

inline base::Json ObjectSchema(base::Json properties, std::vector<const char*> required) {
  base::Json schema = {{"type", "object"}, {"additionalProperties", false}};
  schema["properties"] = properties.empty() ? base::Json::object() : std::move(properties);
  if (!required.empty()) schema["required"] = required;
  return schema;
}
// Results may get further fields.
inline base::Json ResultSchema(base::Json properties, std::vector<const char*> required) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", required}};
}

inline base::Json TextSchema(const char* what) {
  return {{"type", "string"}, {"description", what}};
}
inline base::Json NumberSchema(const char* what, int64_t minimum, int64_t maximum) {
  return {{"type", "integer"}, {"description", what}, {"minimum", minimum}, {"maximum", maximum}};
}
inline base::Json TypeSchema() {
  return TextSchema(
      "decision, discovery, bugfix, pattern, architecture, config, learning, preference, or a word "
      "of your own; discovery when not given");
}
inline base::Json TagsSchema() {
  return {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"description", "at most 20 words that it can be found by"}};
}
inline base::Json ScopeSchema() {
  return {{"type", "string"},
          {"enum", {"project", "global"}},
          {"description", "project, or global: known in every project"}};
}

inline base::Json RowSchema() {
  const base::Json text = {{"type", "string"}}, whole = {{"type", "integer"}};
  return ResultSchema({{"id", whole},
                       {"type", text},
                       {"title", text},
                       {"content", text},
                       {"truncated", {{"type", "boolean"}}},
                       {"rank", {{"type", "number"}}},
                       {"method", text},
                       {"topic_key", text},
                       {"tags", {{"type", "array"}, {"items", text}}},
                       {"scope", text},
                       {"trust", text},
                       {"source", text},
                       {"session_id", text},
                       {"created_at", text},
                       {"updated_at", text},
                       {"revision_count", whole}},
                      {"id", "type", "title", "content", "trust"});
}
inline base::Json RowsSchema() { return {{"type", "array"}, {"items", RowSchema()}}; }
inline base::Json SessionsSchema() {
  const base::Json text = {{"type", "string"}};
  return {{"type", "array"},
          {"items", ResultSchema({{"id", text}, {"summary", text}}, {"id", "summary"})}};
}

}  // namespace sidecar
