// Wrong tool names in toolHooks, and the one warning Event about them.
#include "operator/agent/policy_faults.h"

#include <gtest/gtest.h>

#include "operator/agent/plan.h"
#include "operator/crds/read_objects.h"

namespace controller {
namespace {

using base::Json;

api::Policy PolicyOf(const std::vector<std::string>& tools) {
  api::Policy policy;
  for (const std::string& tool : tools) {
    api::SaveRule rule;
    rule.name = "about-" + tool;
    rule.tool = tool;
    policy.save_rules.push_back(rule);
  }
  return policy;
}

TEST(ToolNames, WithoutDeclarationAnyNameIsValid) {
  const api::Policy policy = PolicyOf({"bash", "kubectl_apply", "*"});
  for (const char* spec : {"{}", R"({"builtinTools": []})", R"({"builtinTools": {"bash": true}})",
                           R"({"builtinTools": ["bash", {"name": "x"}]})",
                           R"({"builtinTools": ["read"], "delegation": {"agents": ["b"]}})",
                           R"({"builtinTools": ["read"], "enableQuestionTool": true})",
                           R"({"builtinTools": ["read"], "tools": [{"name": "k8s"}]})"})
    EXPECT_TRUE(UnknownTools(policy, Json::parse(spec)).empty()) << spec;
}

TEST(ToolNames, DeclaredToolsMatchByNameOrGlob) {
  const Json spec = {{"builtinTools", {"Bash", "read_file"}}};
  EXPECT_TRUE(
      UnknownTools(PolicyOf({"bash", "READ_*", "*", "mcp__memory__mem_get"}), spec).empty());
  api::Policy policy = PolicyOf({"bsh", "write_*"});
  policy.inject_tools.push_back({"grep", api::kFromToolArgs});
  policy.audit_tools = {"bash", "deploy", "mem_delete"};
  EXPECT_EQ(UnknownTools(policy, spec),
            (std::vector<std::string>{
                "rule about-bsh: no tool of spec.builtinTools is called bsh",
                "rule about-write_*: no tool of spec.builtinTools is called write_*",
                "contextInjectTools: no tool of spec.builtinTools is called grep",
                "auditTools: no tool of spec.builtinTools is called deploy"}));
}

TEST(ToolNames, MemoryToolIsNeverCaptured) {
  EXPECT_EQ(UnknownTools(PolicyOf({"mem_save"}), Json::object()),
            (std::vector<std::string>{
                "rule about-mem_save: calls of the memory tool mem_save are never captured"}));
}

TEST(ToolNames, WrongNameIsEventAndConditionUntilCorrected) {
  auto plan = [](const std::string& tool, const Json& status) {
    Json agent =
        ReadObjects(
            "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a, uid: u}, "
            "spec: {image: x, builtinTools: [bash], memory: {serverRef: m}, toolHooks: "
            "{memorySaveRules: [{name: errors, tool: " +
                tool + "}]}}}",
            "n")
            .value()
            .at(0);
    if (!status.is_null()) agent["status"] = status;
    return MakePlan(Classify(agent, {}), {}, 1'767'323'045'000);
  };
  auto told = [](const Plan& plan) {
    for (const Notice& notice : plan.events)
      if (notice.reason == "UnknownTool") return notice.warning;
    return false;
  };
  const Plan wrong = plan("bsh", Json());
  ASSERT_TRUE(wrong.status);
  EXPECT_TRUE(told(wrong));
  EXPECT_NE(base::DumpJson(*wrong.status).find("is called bsh"), std::string::npos);
  EXPECT_FALSE(told(plan("bsh", *wrong.status))) << "told once";
  const Plan mended = plan("bash", *wrong.status);
  ASSERT_TRUE(mended.status);
  EXPECT_EQ(base::DumpJson(*mended.status).find("ToolsKnown"), std::string::npos);
}

}  // namespace
}  // namespace controller
