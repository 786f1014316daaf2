// A field that a row takes in the body and in the query goes into the body.
#include "sidecar/mcp/tool_input.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/api/operations/openapi.h"
#include "lib/api/operations/operations.h"

namespace sidecar {
namespace {

using base::Json;

const api::Field* FindField(const std::vector<api::Field>& fields, std::string_view name) {
  const auto field = std::ranges::find(fields, name, &api::Field::name);
  return field == fields.end() ? nullptr : &*field;
}

}  // namespace

ToolInput Takes(std::string_view operation, std::vector<Argument> arguments) {
  static const api::Operation none;
  const api::Operation& row = operation.empty() ? none : api::OperationNamed(operation);
  Json properties = Json::object(), required = Json::array();
  for (const Argument& argument : arguments) {
    const api::Field* of_body = FindField(row.body, argument.field);
    const api::Field* field =
        of_body != nullptr ? of_body : FindField(row.parameters, argument.field);
    Json& schema = properties[argument.name];
    schema = field == nullptr ? Json::object() : api::SchemaOf(*field, true);
    if (!argument.own.is_null()) schema.update(argument.own);
    schema["description"] = argument.words;
    const bool must = field != nullptr && (field->must || api::InPath(row, *field));
    if (argument.must.value_or(must)) required.push_back(argument.name);
  }
  Json schema = {{"type", "object"}, {"additionalProperties", false}};
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return {operation, std::move(arguments), std::move(schema)};
}

Forwarded ToolInput::Request(const Json& given) const {
  const api::Operation& row = api::OperationNamed(operation);
  Forwarded request = {operation};
  if (!row.body.empty()) request.body = Json::object();
  for (const Argument& argument : arguments) {
    const auto value = given.find(argument.name);
    if (value == given.end()) continue;
    if (FindField(row.body, argument.field) != nullptr) {
      (*request.body)[argument.field] = *value;
      continue;
    }
    std::string text = value->is_string() ? value->get<std::string>() : base::DumpJson(*value);
    if (api::InPath(row, {argument.field}))
      request.parameters[argument.field] = std::move(text);
    else
      request.query.emplace_back(argument.field, std::move(text));
  }
  return request;
}

}  // namespace sidecar
