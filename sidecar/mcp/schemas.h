// The JSON Schemas (2020-12) of the memory tools. Input schemas use only the keywords that
// arguments.h checks. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/json/json.h"

namespace sidecar {

inline base::Json ObjectSchema(base::Json properties, const std::vector<const char*>& required) {
  base::Json schema = {{"type", "object"}, {"additionalProperties", false}};
  schema["properties"] = properties.empty() ? base::Json::object() : std::move(properties);
  if (!required.empty()) schema["required"] = required;
  return schema;
}
// Allows other fields, since later versions may add some.
inline base::Json ResultSchema(base::Json properties, const std::vector<const char*>& required) {
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

// The schema of a whole answer: the text, and the other fields.
inline base::Json AnswerSchema(base::Json properties, std::vector<const char*> required) {
  properties["text"] = {{"type", "string"}, {"description", "the result, as content has it"}};
  required.push_back("text");
  return ResultSchema(std::move(properties), required);
}
inline base::Json RowProperties() {
  const base::Json text = {{"type", "string"}};
  const base::Json number = {{"type", "number"}};
  return {{"id", {{"type", "integer"}}},
          {"trust", text},
          {"rank", number},
          {"score", number},
          {"method", text},
          {"truncated", {{"type", "boolean"}}},
          {"created_at", text},
          {"updated_at", text}};
}
inline base::Json RowsSchema() {
  return {{"type", "array"}, {"items", ResultSchema(RowProperties(), {"id", "trust"})}};
}
// The schema of a list of names or numbers.
inline base::Json MarksSchema(const char* name, const char* type) {
  return {{"type", "array"}, {"items", ResultSchema({{name, {{"type", type}}}}, {name})}};
}

}  // namespace sidecar
