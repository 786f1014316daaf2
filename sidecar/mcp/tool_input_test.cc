// Shows that arguments have the types and limits of their operation's row, in the schema and in the
// words for a model, and that a request has them where the row does.
#include "sidecar/mcp/tool_input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/api/operations/operations.h"
#include "lib/base/text/text.h"
#include "sidecar/mcp/tools.h"

namespace sidecar {
namespace {

using api::FieldType;
using base::Json;

const Json& PropertiesOf(std::string_view tool) {
  const auto& tools = McpTools();
  return std::ranges::find(tools, tool, &McpTool::name)->input.schema["properties"];
}

const api::Field* FieldOfRow(std::string_view operation, std::string_view name) {
  const api::Operation& row = api::OperationNamed(operation);
  for (const auto* fields : {&row.body, &row.parameters})
    for (const api::Field& field : *fields)
      if (field.name == name) return &field;
  return nullptr;
}

bool Says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A limit that words for a model name is the row's.
void ExpectWords(const api::Field& field, const std::string& words) {
  std::string most = std::to_string(field.most);
  if (Says(words, "KiB")) most = std::to_string(field.most >> 10);
  if (most.size() > 3) most.insert(most.size() - 3, ",");
  for (const char* unit : {" characters", " words", " KiB"})
    if (Says(words, "at most") && Says(words, unit)) {
      EXPECT_TRUE(Says(words, most + unit)) << words;
    }
}

TEST(ToolInput, EachArgumentOfAnOperationHasTheTypeAndLimitsOfItsRow) {
  for (const McpTool& tool : McpTools()) {
    if (tool.input.operation.empty()) continue;
    for (const Argument& argument : tool.input.arguments) {
      SCOPED_TRACE(std::string(tool.name) + " " + argument.name);
      const api::Field* field = FieldOfRow(tool.input.operation, argument.field);
      ASSERT_NE(field, nullptr) << "no field of " << tool.input.operation;
      const Json& schema = PropertiesOf(tool.name)[argument.name];
      const auto number = [&](const char* keyword) { return schema.value(keyword, int64_t{0}); };
      if (field->type == FieldType::kText) {
        EXPECT_EQ(number("maxLength"), field->most);
        if (!field->of.empty()) {
          EXPECT_EQ(schema["enum"], Json(base::Split(field->of, '|')));
        }
      }
      if (field->type == FieldType::kList) {
        EXPECT_EQ(number("maxItems"), field->most);
        EXPECT_EQ(number("minItems"), field->least);
      }
      if (field->type == FieldType::kWhole) {
        EXPECT_EQ(schema["type"], "integer");
        EXPECT_GE(number("minimum"), field->least);
        EXPECT_GT(number("maximum"), 0) << "a model is told where the range ends";
        if (field->most > 0) {
          EXPECT_LE(number("maximum"), field->most);
        }
      }
      ExpectWords(*field, argument.words);
    }
  }
}

TEST(ToolInput, TheLimitsAreThoseOfTheDecoders) {
  EXPECT_EQ(PropertiesOf("mem_save")["title"]["maxLength"], api::kMaxTitle);
  EXPECT_EQ(PropertiesOf("mem_update")["content"]["maxLength"], api::kMaxContent);
  EXPECT_EQ(PropertiesOf("mem_get")["id"]["maximum"], api::kMaxId);
  EXPECT_EQ(PropertiesOf("memory_store")["key"]["maxLength"], api::kMaxItemKey);
  EXPECT_EQ(PropertiesOf("memory_retrieve")["limit"]["maximum"], 100);
  EXPECT_EQ(PropertiesOf("memory_add")["tags"]["maxItems"], api::kMaxTags);
  EXPECT_EQ(PropertiesOf("memory_add")["type"]["enum"], Json(base::Split(api::kTraceKinds, '|')));
  EXPECT_EQ(PropertiesOf("memory_merge")["traceIds"]["maxItems"], api::kMaxTracesMerged);
}

TEST(ToolInput, ItsOwnKeywordsAndWordsReplaceThoseOfTheRow) {
  const ToolInput input = Takes("put_item", {{"name", "its name", {}, "key"},
                                             {"value", "any JSON"},
                                             {"ttl", "how long", {{"type", "string"}}, "ttl", true},
                                             {"colour", "of its own", {{"type", "boolean"}}}});
  EXPECT_EQ(
      input.schema["properties"],
      Json({{"name",
             {{"type", "string"}, {"maxLength", api::kMaxItemKey}, {"description", "its name"}}},
            {"value", {{"description", "any JSON"}}},
            {"ttl", {{"type", "string"}, {"description", "how long"}}},
            {"colour", {{"type", "boolean"}, {"description", "of its own"}}}}));
  EXPECT_EQ(input.schema["required"], Json({"name", "value", "ttl"}));
}

TEST(ToolInput, ARequestHasEachArgumentWhereTheRowHasIt) {
  const ToolInput hide = Takes("delete_trace", {{"traceId", "which", {}, "id"}, {"reason", "why"}});
  const Forwarded hidden = hide.Request({{"traceId", "mt_1"}, {"reason", "old"}});
  EXPECT_EQ(hidden.name, "delete_trace");
  EXPECT_EQ(hidden.parameters.at("id"), "mt_1");
  EXPECT_EQ(hidden.body.value(), Json({{"reason", "old"}})) << "the query has a reason, too";
  EXPECT_TRUE(hidden.query.empty());
  EXPECT_EQ(hide.Request({{"traceId", "mt_1"}}).body.value(), Json::object());
  const Forwarded found = Takes("find_items", {{"words", "what", {}, "query"}, {"limit", "most"}})
                              .Request({{"limit", 3}, {"words", "a b"}});
  EXPECT_EQ(found.query, (decltype(found.query){{"query", "a b"}, {"limit", "3"}}));
  EXPECT_FALSE(found.body) << "the row has none";
}

}  // namespace
}  // namespace sidecar
