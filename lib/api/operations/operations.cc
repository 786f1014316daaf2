// Joins the rows and shapes of all kinds. An example gets rows in the places of their names, then
// it is parsed.
#include "lib/api/operations/operations.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/api/operations/fields_of_all.h"

namespace api {

using base::Json;

const std::vector<Operation>& Operations() {
  static const std::vector<Operation> all = Joined(
      {ObservationOperations(), ItemOperations(), TraceOperations(), ConversationOperations()});
  return all;
}

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> all =
      Joined({ObservationShapes(), ItemShapes(), TraceShapes(), ConversationShapes()});
  return all;
}

const Operation& OperationNamed(std::string_view name) {
  return *std::ranges::find(Operations(), name, &Operation::name);
}

int64_t MostOf(std::string_view row, std::string_view field) {
  for (const auto* fields : {&OperationNamed(row).parameters, &OperationNamed(row).body})
    for (const Field& one : *fields)
      if (one.name == field) return one.most;
  return 0;
}

http::Route RouteOf(const Operation& row) {
  http::Route route;
  route.method = row.method;
  route.pattern = row.path;
  route.max_body_bytes = row.max_body_bytes;
  return route;
}

ExampleRows UsualRows() {
  ExampleRows rows;
  for (const StandIn& one : kStandIns) rows.emplace(one.name, one.example);
  return rows;
}

Json ExampleOf(const Field& field, const ExampleRows& rows) {
  std::string text(field.example);
  for (const auto& [name, value] : rows) {
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  }
  if (field.type == FieldType::kText || field.type == FieldType::kTime) return text;
  auto json = base::ParseJson(text);
  return json ? *std::move(json) : Json(text);
}

Json ExampleBody(const Operation& row, const ExampleRows& rows) {
  if (row.body.empty()) return {};
  if (row.body.front().name.empty()) return ExampleOf(row.body.front(), rows);
  Json body = Json::object();
  for (const Field& field : row.body)
    if (!field.example.empty()) body[std::string(field.name)] = ExampleOf(field, rows);
  return body;
}

bool InPath(const Operation& row, const Field& field) {
  return row.path.find("{" + std::string(field.name) + "}") != std::string_view::npos;
}

}  // namespace api
