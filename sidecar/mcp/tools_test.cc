// Shows that each memory tool is described whole, and that the policy's switches hide tools.
#include "sidecar/mcp/tools.h"

#include <gtest/gtest.h>

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
    EXPECT_TRUE(IsOwnTool(tool.name)) << tool.name;  // never captured, never searched for
    EXPECT_TRUE(IsOwnTool("mcp__memory__" + std::string(tool.name))) << tool.name;
    for (const char* field : {"name", "title", "description"}) {
      EXPECT_FALSE(base::IsBlank(shown[field].get<std::string>())) << tool.name;
    }
    EXPECT_TRUE(shown["outputSchema"]["properties"].contains("text")) << tool.name;
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
    EXPECT_FALSE(tool.read_only && tool.destructive) << tool.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"mem_save", "mem_search", "mem_context", "mem_get",
                                          "mem_update", "mem_delete", "mem_timeline",
                                          "mem_suggest_topic_key", "recall"}));
  EXPECT_EQ(McpTools().size(), names.size());
}

TEST(McpToolTable, TheInputsAreThoseThatWerePromised) {
  EXPECT_EQ(Tool("mem_save").input["required"], Json({"title", "content"}));
  for (const char* name : {"title", "content", "type", "tags", "topic_key", "scope"}) {
    EXPECT_TRUE(Tool("mem_save").input["properties"].contains(name)) << name;
  }
  for (const char* name : {"query", "limit", "type", "scope"}) {
    EXPECT_TRUE(Tool("mem_search").input["properties"].contains(name)) << name;
  }
  for (const char* name : {"conversation", "from", "to"}) {
    EXPECT_TRUE(Tool("recall").input["properties"].contains(name)) << name;
  }
  EXPECT_EQ(Tool("recall").input["properties"].size(), 3u) << "nothing that is not there yet";
}

TEST(McpToolTable, SwitchesHideWhatTheyForbid) {
  api::Policy policy;
  EXPECT_EQ(Offered(policy).size(), McpTools().size());
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

}  // namespace
}  // namespace sidecar
