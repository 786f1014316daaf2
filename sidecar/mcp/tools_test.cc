// Shows that each memory tool is described completely, and that the policy's switches hide tools.
#include "sidecar/mcp/tools.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "lib/base/text/text.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;

const McpTool& Tool(const std::string& name) {
  for (const McpTool& tool : McpTools()) {
    if (name == tool.name) return tool;
  }
  ADD_FAILURE() << "no tool " << name;
  return McpTools().front();
}

std::vector<std::string> Offered(const api::Policy& policy) {
  std::vector<std::string> names;
  for (const McpTool& tool : McpTools()) {
    if (IsOffered(tool, policy)) names.push_back(tool.name);
  }
  return names;
}

TEST(McpToolTable, EveryToolHasAllThatAClientShowsAndIsOurOwn) {
  std::set<std::string> names;
  for (const McpTool& tool : McpTools()) {
    const Json shown = DescribeTool(tool);
    names.insert(tool.name);
    EXPECT_TRUE(IsOwnTool(tool.name)) << tool.name;  // neither captured nor searched for
    EXPECT_TRUE(IsOwnTool("mcp__memory__" + std::string(tool.name))) << tool.name;
    for (const char* field : {"name", "title", "description"}) {
      EXPECT_FALSE(base::IsBlank(shown[field].get<std::string>())) << tool.name;
    }
    EXPECT_NE(shown["outputSchema"]["properties"].contains("text"), tool.exact) << tool.name;
    for (const char* schema : {"inputSchema", "outputSchema"}) {
      EXPECT_EQ(shown[schema]["type"], "object") << tool.name;
      EXPECT_TRUE(shown[schema]["properties"].is_object()) << tool.name;
      for (const Json& name : shown[schema].value("required", Json::array())) {
        EXPECT_TRUE(shown[schema]["properties"].contains(name)) << tool.name << " " << name;
      }
    }
    EXPECT_EQ(shown["inputSchema"]["additionalProperties"], false) << tool.name;
    for (const char* hint :
         {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}) {
      EXPECT_TRUE(shown["annotations"][hint].is_boolean()) << tool.name;
    }
    EXPECT_FALSE(tool.effect.read_only && tool.effect.destructive) << tool.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"mem_save",
                                          "mem_search",
                                          "mem_context",
                                          "mem_get",
                                          "mem_update",
                                          "mem_delete",
                                          "mem_timeline",
                                          "mem_suggest_topic_key",
                                          "recall",
                                          "memory_store",
                                          "memory_retrieve",
                                          "memory_forget",
                                          "memory_update_item",
                                          "memory_add",
                                          "memory_update",
                                          "memory_delete",
                                          "memory_merge",
                                          "memory_search",
                                          "memory_reflect",
                                          "rehydrate_memory"}));
  EXPECT_EQ(McpTools().size(), names.size());
}

// A line for each field: tool, side, name (! when it is required), schema.
std::string PublishedFields() {
  std::string lines;
  for (const McpTool& tool : McpTools()) {
    const Json shown = DescribeTool(tool);
    for (const char* side : {"inputSchema", "outputSchema"}) {
      const Json required = shown[side].value("required", Json::array());
      for (const auto& [name, schema] : shown[side]["properties"].items()) {
        const bool must = std::ranges::find(required, Json(name)) != required.end();
        lines += std::string(tool.name) + " " + side + " " + name + (must ? "! " : " ") +
                 base::DumpJson(schema) + "\n";
      }
    }
  }
  return lines;
}

TEST(McpToolTable, ClientsSeeTheSchemasOfTheGoldenFile) {
  const char* golden = "sidecar/mcp/testdata/fields.txt";
  if (std::getenv("UPDATE_GOLDEN")) std::ofstream(golden) << PublishedFields();
  std::ifstream file(golden);
  EXPECT_EQ(PublishedFields(), std::string(std::istreambuf_iterator<char>(file), {}))
      << "UPDATE_GOLDEN=1 sidecar_test --gtest_filter='McpToolTable*' writes it anew";
}

TEST(McpToolTable, TheInputsAreThoseThatWerePromised) {
  EXPECT_EQ(Tool("mem_save").input.schema["required"], Json({"title", "content"}));
  for (const char* name : {"title", "content", "type", "tags", "topic_key", "scope"}) {
    EXPECT_TRUE(Tool("mem_save").input.schema["properties"].contains(name)) << name;
  }
  for (const char* name : {"query", "limit", "type", "scope"}) {
    EXPECT_TRUE(Tool("mem_search").input.schema["properties"].contains(name)) << name;
  }
  for (const char* name : {"conversation", "block", "from", "to"}) {
    EXPECT_TRUE(Tool("recall").input.schema["properties"].contains(name)) << name;
  }
  EXPECT_EQ(Tool("recall").input.schema["properties"].size(), 4u)
      << "nothing that is not there yet";
}

TEST(McpToolTable, SwitchesHideWhatTheyForbid) {
  api::Policy policy;
  EXPECT_EQ(Offered(policy).size(), 9u);
  policy.auto_save = false;
  EXPECT_EQ(Offered(policy), (std::vector<std::string>{"mem_search", "mem_context", "mem_get",
                                                       "mem_timeline", "recall"}));
  EXPECT_EQ(McpInstructions(policy).find("mem_save"), std::string::npos);
  policy.auto_search = false;
  EXPECT_EQ(Offered(policy), (std::vector<std::string>{"mem_get", "recall"}));
  EXPECT_EQ(McpInstructions(policy).find("mem_search"), std::string::npos);
  policy.auto_save = true;
  EXPECT_EQ(Offered(policy),
            (std::vector<std::string>{"mem_save", "mem_get", "mem_update", "mem_delete",
                                      "mem_suggest_topic_key", "recall"}));
}

TEST(McpToolTable, ToolsOfItemsAreOfferedWhereThePolicyNamesThem) {
  api::Policy policy;
  policy.tools = "chapter";
  EXPECT_EQ(Offered(policy).size(), 13u);
  policy.auto_save = false;
  const std::vector<std::string> without = Offered(policy);
  EXPECT_EQ(std::count(without.begin(), without.end(), "memory_retrieve"), 1);
  EXPECT_EQ(std::count(without.begin(), without.end(), "memory_store"), 0);
  policy.auto_search = false;
  EXPECT_EQ(Offered(policy), (std::vector<std::string>{"mem_get", "recall"}));
}

TEST(McpToolTable, ToolsOfTracesAreOfferedAsThePolicyIncludesThem) {
  const auto traces = [](const api::Policy& policy) {
    std::vector<std::string> names = Offered(policy);
    std::erase_if(names, [](const std::string& name) {
      return name.starts_with("mem_") || name == "recall";
    });
    return names;
  };
  using Names = std::vector<std::string>;
  api::Policy policy;
  policy.agentos.include_reflect = policy.agentos.include_rehydrate = true;
  EXPECT_EQ(traces(policy), Names()) << "the policy does not name the set";
  policy.tools = "agentos";
  policy.agentos = {};
  EXPECT_EQ(traces(policy), (Names{"memory_add", "memory_update", "memory_delete", "memory_merge",
                                   "memory_search"}));
  policy.agentos.include_reflect = policy.agentos.include_rehydrate = true;
  EXPECT_EQ(traces(policy).size(), 7u);
  policy.agentos.tools = {"memory_search", "memory_reflect"};
  EXPECT_EQ(traces(policy), (Names{"memory_search", "memory_reflect"}));
  policy.auto_save = false;
  EXPECT_EQ(traces(policy), (Names{"memory_search"}));
  policy.auto_search = false;
  EXPECT_EQ(traces(policy), Names());
}

TEST(McpToolTable, ToolsOfTracesDeclareTheirSideEffectsAndCategory) {
  const auto hint = [](const char* name, const char* hint) {
    return DescribeTool(Tool(name))["annotations"][hint].get<bool>();
  };
  EXPECT_TRUE(hint("memory_search", "readOnlyHint"));
  for (const char* writes : {"memory_add", "memory_update", "memory_delete", "memory_merge",
                             "memory_reflect", "rehydrate_memory"})
    EXPECT_FALSE(hint(writes, "readOnlyHint")) << writes;
  for (const char* destroys : {"memory_update", "memory_delete", "memory_merge", "memory_reflect"})
    EXPECT_TRUE(hint(destroys, "destructiveHint")) << destroys;
  EXPECT_FALSE(hint("memory_add", "destructiveHint"));
  EXPECT_TRUE(hint("memory_add", "idempotentHint"));
  EXPECT_FALSE(hint("memory_merge", "idempotentHint"));
  EXPECT_EQ(DescribeTool(Tool("memory_add"))["_meta"]["agents.agentops.io/category"], "memory");
}

TEST(McpToolTable, TheInputsOfTraceToolsAreThoseOfTheContract) {
  const std::map<std::string, std::set<std::string>> inputs = {
      {"memory_add", {"content", "type", "scope", "tags", "remindAt"}},
      {"memory_update", {"traceId", "content", "tags"}},
      {"memory_delete", {"traceId", "reason"}},
      {"memory_merge", {"traceIds", "content"}},
      {"memory_search", {"query", "type", "scope", "limit"}},
      {"memory_reflect", {"topic", "dryRun"}},
      {"rehydrate_memory", {"traceId"}}};
  for (const auto& [name, arguments] : inputs) {
    std::set<std::string> found;
    for (const auto& [argument, schema] : Tool(name).input.schema["properties"].items())
      found.insert(argument);
    EXPECT_EQ(found, arguments) << name;
  }
  const Json& add = Tool("memory_add").input.schema["properties"];
  EXPECT_EQ(add["type"]["default"], "episodic");
  EXPECT_EQ(add["scope"]["default"], "user");
  EXPECT_EQ(add["tags"]["default"], Json::array());
  EXPECT_EQ(Tool("memory_search").input.schema["properties"]["limit"]["default"], 10);
}

}  // namespace
}  // namespace sidecar
