// Agents with neither image nor template run the image of --agent-image, or get no pod.
#include <gtest/gtest.h>

#include "operator/agent/plan.h"

namespace controller {
namespace {

using base::Json;

Json AgentWithout() {
  return {
      {"apiVersion", "agents.agentops.io/v1alpha1"},
      {"kind", "Agent"},
      {"metadata", {{"name", "a"}, {"namespace", "agents"}, {"uid", "uid-a"}, {"generation", 1}}},
      {"spec",
       {{"resources", {{"claims", {{{"name", "gpu"}}}}, {"limits", {{"memory", "1Gi"}}}}}}}};
}

Json ContainerOf(const Json& agent, const Settings& settings) {
  ObservedAgent observed;
  observed.agent = agent;
  for (const Child& child : MakePlan(observed, settings, 0).apply)
    if (child.resource == kube::StatefulSets())
      return child.object["spec"]["template"]["spec"]["containers"][0];
  return nullptr;
}

std::string ReasonOf(const Json& agent, const char* type) {
  ObservedAgent observed;
  observed.agent = agent;
  Plan plan = MakePlan(observed, {}, 0);
  if (!plan.status) return "";
  for (const Json& condition : (*plan.status)["conditions"])
    if (condition["type"] == type) return condition["reason"];
  return "";
}

TEST(AgentImage, MissingImageMakesNoPodAndNamesTheRemedy) {
  const Json agent = AgentWithout();
  EXPECT_TRUE(ContainerOf(agent, {}).is_null());
  EXPECT_EQ(ReasonOf(agent, "Ready"), "ImageMissing");
  EXPECT_EQ(ReasonOf(agent, "Stalled"), "ImageMissing");
}

TEST(AgentImage, AgentsImageWinsOverTheSetting) {
  Settings settings;
  settings.agent_image = "runtime:1";
  Json agent = AgentWithout();
  const Json container = ContainerOf(agent, settings);
  ASSERT_TRUE(container.is_object());
  EXPECT_EQ(container["image"], "runtime:1");
  EXPECT_EQ(container["resources"], (Json{{"limits", {{"memory", "1Gi"}}}}));
  agent["spec"]["image"] = "own:1";
  EXPECT_EQ(ContainerOf(agent, settings)["image"], "own:1");
}

}  // namespace
}  // namespace controller
