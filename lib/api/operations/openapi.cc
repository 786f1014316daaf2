// Fields become JSON Schemas, rows become paths. What follows from method, path and body (errors,
// headers) is said here, once.
#include "lib/api/operations/openapi.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/api/operations/operations.h"
#include "lib/base/text/text.h"

namespace api {
namespace {

using base::Json;

struct ErrorText {
  int status;
  const char* text;
};
constexpr ErrorText kErrors[] = {
    {400, "Malformed, or out of limits; the message names field, limit and value."},
    {401, "No valid token for this server."},
    {403, "The caller, or the page that it comes from, may not."},
    {404, "Does not exist, is deleted, or is another caller's."},
    {409, "In conflict with what is there."},
    {411, "The body has no length."},
    {412, "A condition does not hold; nothing was changed."},
    {413, "The body or a part of it is too large."},
    {414, "The target of the request is too long."},
    {415, "A Content-Type that the server does not read."},
    {421, "The Host is not a name of the server."},
    {422, "The Idempotency-Key came before with another body; nothing was stored."},
    {429, "Over the quota of writes; Retry-After says when to retry."},
    {431, "The head of the request is too large."},
    {501, "Not served yet."},
    {503, "Overloaded or stopping; Retry-After says when to retry."},
    {507, "No space left, or over the quota of the namespace."}};

Json Reference(std::string_view kind, std::string_view name) {
  return {{"$ref", "#/components/" + std::string(kind) + "/" + std::string(name)}};
}

// The schema of a list's entries, of an object, or of an answer's body: the name of a type or
// shape.
Json Named(std::string_view of) {
  if (of.empty() || of == "any") return Json::object();
  if (of == "object") return {{"type", "object"}};
  if (of == "text") return {{"type", "string"}};
  if (of == "whole") return {{"type", "integer"}};
  if (of.starts_with('['))
    return {{"type", "array"}, {"items", Reference("schemas", of.substr(1, of.size() - 2))}};
  return Reference("schemas", of);
}

Json TypeOf(const Field& field) {
  switch (field.type) {
    case FieldType::kAny:
      return Json::object();
    case FieldType::kText:
      return {{"type", "string"}};
    case FieldType::kWhole:
      return {{"type", "integer"}};
    case FieldType::kNumber:
      return {{"type", "number"}};
    case FieldType::kFlag:
      return {{"type", "boolean"}};
    case FieldType::kTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case FieldType::kDuration:
      return {{"type", {"string", "integer"}}};
    case FieldType::kObject:
      return Named(field.of.empty() ? "object" : field.of);
    case FieldType::kList:
      return {{"type", "array"}, {"items", Named(field.of)}};
  }
  return Json::object();
}

void AddLimits(const Field& field, bool given, Json& schema) {
  const bool number = field.type == FieldType::kWhole || field.type == FieldType::kNumber;
  if (number && (given || field.most > 0)) schema["minimum"] = field.least;
  if (field.type == FieldType::kText && !field.of.empty())
    schema["enum"] = base::Split(field.of, '|');
  if (field.type == FieldType::kList && field.least > 0) schema["minItems"] = field.least;
  if (field.most == 0) return;
  if (number) schema["maximum"] = field.most;
  if (field.type == FieldType::kText) schema["maxLength"] = field.most;
  if (field.type == FieldType::kList) schema["maxItems"] = field.most;
  if (field.type == FieldType::kAny || field.type == FieldType::kObject)
    schema["description"] = "At most " + std::to_string(field.most) + " bytes of JSON.";
  // maxLength counts characters, of which there are never more than bytes.
  if (field.in_bytes)
    schema["description"] = "At most " + std::to_string(field.most) + " bytes of UTF-8.";
}

}  // namespace

Json SchemaOf(const Field& field, bool given) {
  Json schema = TypeOf(field);
  AddLimits(field, given, schema);
  if (!field.null) return schema;
  schema["type"] = {schema.value("type", "object"), "null"};
  return schema;
}

namespace {

void AddExample(const Field& field, Json& into) {
  if (field.example.empty()) return;
  into["example"] = ExampleOf(field, UsualRows());
  if (field.example.find('$') != std::string_view::npos) into["x-stands-for"] = field.example;
}

Json ObjectOf(const std::vector<Field>& fields, bool given) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const Field& field : fields) {
    schema["properties"][std::string(field.name)] = SchemaOf(field, given);
    if (given ? field.must : !field.maybe) required.push_back(field.name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json BodyOf(const Operation& row) {
  const bool whole = row.body.front().name.empty();
  Json media = {{"schema", whole ? SchemaOf(row.body.front(), true) : ObjectOf(row.body, true)}};
  media["example"] = ExampleBody(row, UsualRows());
  if (Json named = ExampleBody(row, {}); named != media["example"])
    media["x-stands-for"] = std::move(named);
  const bool needed = whole || std::ranges::any_of(row.body, &Field::must);
  Json content = {{"application/json", std::move(media)}};
  if (whole && row.Has(kStreams))
    content["application/octet-stream"] = {{"schema", Json::object()}};
  return {{"required", needed}, {"content", std::move(content)}};
}

Json HeaderOf(std::string_view name, int64_t most) {
  return {{"name", name}, {"in", "header"}, {"schema", {{"type", "string"}, {"maxLength", most}}}};
}

Json ParametersOf(const Operation& row) {
  Json list = Json::array();
  for (const Field& field : row.parameters) {
    const bool in_path = InPath(row, field);
    Json parameter = {{"name", field.name},
                      {"in", in_path ? "path" : "query"},
                      {"required", in_path || field.must},
                      {"schema", SchemaOf(field, true)}};
    if (in_path && field.type == FieldType::kText) parameter["schema"]["minLength"] = 1;
    AddExample(field, parameter);
    list.push_back(std::move(parameter));
    if (field.name != "conversation" || in_path) continue;
    list.push_back(HeaderOf(kUserHeader, field.most));
    list.push_back(HeaderOf(kAgentHeader, field.most));
  }
  if (row.Has(kKeyed)) list.push_back(HeaderOf("Idempotency-Key", kMaxKey));
  if (row.Has(kIfMatch)) list.push_back(HeaderOf("If-Match", kMaxKey));
  if (row.Has(kIfNoneMatch)) list.push_back(HeaderOf("If-None-Match", kMaxKey));
  return list;
}

// What follows from method, path and headers.
bool MayFail(const Operation& row, int status) {
  const bool writes = row.method != "GET";
  switch (status) {
    case 404:
      return row.path.find('{') != std::string_view::npos;
    case 409:
    case 501:
      return false;
    case 411:
    case 413:
    case 415:
    case 507:
      return writes;
    case 412:
      return row.Has(kIfMatch);
    case 422:
      return row.Has(kKeyed);
    case 429:
      return writes && row.method != "DELETE";
    default:
      return true;
  }
}

Json AnswersOf(const Operation& row) {
  Json answers = Json::object();
  for (const Answer& answer : row.answers) {
    Json& one = answers[std::to_string(answer.status)];
    if (answer.shape == "Error") {
      one = Reference("responses", std::to_string(answer.status));
      continue;
    }
    one["description"] = answer.shape.empty() ? "Done." : "The answer.";
    if (answer.shape.empty()) continue;
    const char* media = answer.shape == "file" ? "*/*" : "application/json";
    one["content"][media]["schema"] = answer.shape == "file" ? Json::object() : Named(answer.shape);
  }
  for (const ErrorText& error : kErrors)
    if (MayFail(row, error.status))
      answers[std::to_string(error.status)] = Reference("responses", std::to_string(error.status));
  return answers;
}

Json OperationOf(const Operation& row) {
  const char* sidecar = row.Has(kHosted) ? "hosts" : row.Has(kNotInSidecar) ? "not" : "forwards";
  Json json = {{"operationId", row.name},
               {"summary", row.text},
               {"responses", AnswersOf(row)},
               {"x-sidecar", sidecar}};
  if (Json parameters = ParametersOf(row); !parameters.empty())
    json["parameters"] = std::move(parameters);
  if (!row.body.empty()) json["requestBody"] = BodyOf(row);
  if (row.name == "get_health") json["security"] = Json::array({Json::object()});
  return json;
}

}  // namespace

Json OpenApiDocument(const std::string& version) {
  Json paths = Json::object(), schemas = Json::object(), responses = Json::object();
  for (const Operation& row : Operations())
    paths[std::string(row.path)][base::FoldCase(row.method)] = OperationOf(row);
  for (const Shape& shape : Shapes()) {
    Json schema = ObjectOf(shape.fields, false);
    if (shape.open) schema["additionalProperties"] = true;
    schemas[std::string(shape.name)] = std::move(schema);
  }
  for (const ErrorText& error : kErrors) {
    responses[std::to_string(error.status)] = {
        {"description", error.text},
        {"content", {{"application/json", {{"schema", Reference("schemas", "Error")}}}}}};
  }
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "agent-memory-server"}, {"version", version}}},
          {"security", {{{"token", Json::array()}}, Json::object()}},
          {"paths", std::move(paths)},
          {"components",
           {{"schemas", std::move(schemas)},
            {"responses", std::move(responses)},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace api
