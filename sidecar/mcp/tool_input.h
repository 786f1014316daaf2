// The arguments of a tool. Most are fields of an operation: its row in lib/api/operations has their
// types and limits, and says where the request has them. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "sidecar/service/forwarded.h"

namespace sidecar {

struct Argument {
  const char* name;
  const char* words;  // for a model
  // Keywords of JSON Schema beside those of the row, or instead of those that are wider. All of
  // them if the row does not have the field.
  base::Json own = {};
  const char* field = name;
  std::optional<bool> must = {};  // absent: as in the row
};

struct ToolInput {
  std::string_view operation;  // name of the row; empty: none
  std::vector<Argument> arguments;
  base::Json schema;

  // `given`, which fits the schema, as a request: each where the row has it.
  Forwarded Request(const base::Json& given) const;
};

ToolInput Takes(std::string_view operation, std::vector<Argument> arguments);

}  // namespace sidecar
