// The rows are sound: unique, with known shapes, and with examples within their limits.
#include "lib/api/operations/operations.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lib/api/limits.h"
#include "lib/api/operations/openapi.h"
#include "lib/base/text/text.h"

namespace api {
namespace {

bool IsShape(std::string_view name) {
  return std::ranges::find(Shapes(), name, &Shape::name) != Shapes().end();
}

// The faults of the fields of a row or shape.
std::string FaultsOf(const std::vector<Field>& fields) {
  std::string faults;
  std::set<std::string_view> names;
  for (const Field& field : fields) {
    const std::string name(field.name);
    if (!names.insert(field.name).second) faults += name + " twice; ";
    const bool structured = field.type == FieldType::kObject || field.type == FieldType::kList;
    const bool plain = field.of.empty() || field.of == "any" || field.of == "text" ||
                       field.of == "whole" || field.of == "object";
    if (structured && !plain && !IsShape(field.of)) faults += name + " has an unknown shape; ";
    if (field.example.empty()) continue;
    const base::Json example = ExampleOf(field, UsualRows());
    const int64_t size =
        example.is_string()
            ? static_cast<int64_t>(base::CountCharacters(example.get<std::string>()))
        : example.is_array()  ? static_cast<int64_t>(example.size())
        : example.is_number() ? example.get<int64_t>()
                              : 0;
    if (field.most > 0 && size > field.most) faults += name + " is above its limit; ";
    const bool number = field.type == FieldType::kWhole || field.type == FieldType::kNumber;
    const bool fits = number                           ? example.is_number() && size >= field.least
                      : field.type == FieldType::kFlag ? example.is_boolean()
                      : field.type == FieldType::kObject ? example.is_object()
                      : field.type == FieldType::kList   ? example.is_array()
                                                         : true;
    if (!fits) faults += name + " has an example of another type; ";
  }
  return faults;
}

TEST(Operations, NamesAndRoutesAreThereOnce) {
  std::set<std::string_view> names;
  std::set<std::string> routes;
  for (const Operation& row : Operations()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(routes.insert(std::string(row.method) + " " + std::string(row.path)).second)
        << row.path;
  }
}

TEST(Operations, EachRowIsWhole) {
  for (const Operation& row : Operations()) {
    EXPECT_EQ(FaultsOf(row.parameters), "") << row.name;
    EXPECT_EQ(FaultsOf(row.body), "") << row.name;
    EXPECT_FALSE(row.text.empty()) << row.name;
    EXPECT_FALSE(row.answers.empty()) << row.name;
    for (const Answer& answer : row.answers) {
      std::string_view shape = answer.shape;
      if (shape.starts_with('[')) shape = shape.substr(1, shape.size() - 2);
      const bool plain = shape.empty() || shape == "any" || shape == "file";
      EXPECT_TRUE(plain || IsShape(shape)) << row.name << " answers an unknown " << shape;
    }
    for (const std::string& segment : base::Split(row.path, '/')) {
      if (!segment.starts_with('{')) continue;
      const auto of_path = std::ranges::find(
          row.parameters, std::string_view(segment).substr(1, segment.size() - 2), &Field::name);
      ASSERT_NE(of_path, row.parameters.end()) << row.name << " has no field for " << segment;
      EXPECT_FALSE(of_path->example.empty()) << row.name << " has no example for " << segment;
    }
    for (const Field& field : row.body)
      EXPECT_FALSE(field.must && field.example.empty()) << row.name << " " << field.name;
  }
}

TEST(Operations, EachShapeIsWholeAndUsed) {
  std::set<std::string_view> used = {"Error"};
  const auto use = [&](const std::vector<Field>& fields) {
    for (const Field& field : fields) used.insert(field.of);
  };
  for (const Operation& row : Operations()) {
    use(row.parameters);
    use(row.body);
    for (const Answer& answer : row.answers)
      used.insert(answer.shape.starts_with('[') ? answer.shape.substr(1, answer.shape.size() - 2)
                                                : answer.shape);
  }
  for (const Shape& shape : Shapes()) {
    EXPECT_EQ(FaultsOf(shape.fields), "") << shape.name;
    use(shape.fields);
  }
  for (const Shape& shape : Shapes()) EXPECT_TRUE(used.contains(shape.name)) << shape.name;
}

// "METHOD path" of the operations whose parameters have the header.
std::set<std::string> RoutesWithHeader(const std::string& header) {
  std::set<std::string> routes;
  const base::Json document = OpenApiDocument("1");
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items())
      for (const base::Json& parameter : operation.value("parameters", base::Json::array()))
        if (parameter["in"] == "header" && parameter["name"] == header)
          routes.insert(method + " " + path);
  return routes;
}

TEST(OpenApi, NamesAConditionOnlyWhereItsHandlerReadsIt) {
  std::set<std::string> routes = {"put /items/{key}", "patch /items/{key}",
                                  "put /shared/{agent}/{key}", "delete /shared/{agent}/{key}"};
  EXPECT_EQ(RoutesWithHeader("If-None-Match"), routes);
  routes.insert({"patch /observations/{id}", "put /working-memory/{conversation_id}"});
  EXPECT_EQ(RoutesWithHeader("If-Match"), routes);
}

// A maxLength alone would allow 200 characters of several bytes each.
TEST(OpenApi, TextLimitedInBytesSaysSo) {
  const base::Json document = OpenApiDocument("1");
  const auto says_so = [](const base::Json& schema, size_t most) {
    return schema["maxLength"] == most &&
           schema.value("description", "") ==
               "At most " + std::to_string(most) + " bytes of UTF-8.";
  };
  const auto body_of = [&](const char* path) {
    return document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
                   ["properties"];
  };
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      for (const base::Json& parameter : operation.value("parameters", base::Json::array())) {
        const bool conversation =
            parameter["in"] == "path" && (path.starts_with("/conversations/{id}") ||
                                          path.find("{conversation") != std::string::npos);
        if (conversation && parameter["name"] != "n") {
          EXPECT_TRUE(says_so(parameter["schema"], kMaxConversationBytes)) << method << " " << path;
        }
      }
    }
  }
  EXPECT_TRUE(says_so(body_of("/episodic/store")["conversation_id"], kMaxConversationBytes));
  EXPECT_TRUE(says_so(body_of("/ingest/turns")["user"], kMaxTurnText));
  EXPECT_TRUE(says_so(body_of("/ingest/turns")["assistant"], kMaxTurnText));
  EXPECT_FALSE(body_of("/traces")["content"].contains("description")) << "of characters";
}

TEST(Operations, AnExampleIsAboutTheRowsThatAreGiven) {
  const Operation& row = OperationNamed("merge_traces");
  EXPECT_EQ(ExampleBody(row, {{"$trace", "a"}, {"$other", "b"}})["traceIds"],
            (base::Json{"a", "b"}));
  EXPECT_EQ(ExampleBody(row, UsualRows())["traceIds"], (base::Json{"mt_1", "mt_2"}));
}

}  // namespace
}  // namespace api
