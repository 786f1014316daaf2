// The JSON Schemas (2020-12) of what memory tools answer. Pure.
#pragma once

#include <vector>

#include "lib/base/json/json.h"

namespace sidecar {

// Allows other fields, since later versions may add some.
inline base::Json ResultSchema(base::Json properties, const std::vector<const char*>& required) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", required}};
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
