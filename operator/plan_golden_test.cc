// Golden plans: testdata/<case>/{agent,cluster}.yaml make plan.yaml; with run.yaml it is that of
// the AgentRun, with server.yaml in place of agent.yaml that of the MemoryServer. UPDATE_GOLDEN=1
// rewrites them, for a review of the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lib/base/json/yaml.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"
#include "operator/agent/observed_agent.h"
#include "operator/agent/plan.h"
#include "operator/crds/read_objects.h"
#include "operator/memory_server/plan.h"
#include "operator/run/plan.h"

namespace controller {
namespace {

using base::Json;
namespace fs = std::filesystem;

std::vector<Json> Load(const fs::path& file) {
  if (!fs::exists(file)) return {};
  auto objects = ReadObjects(base::ReadFile(file.string()).value(), "agents");
  EXPECT_TRUE(objects) << file << ": " << (objects ? "" : objects.error().message);
  return objects ? *objects : std::vector<Json>{};
}

Json Written(const Plan& plan) {
  Json apply = Json::array(), patch = Json::array(), remove = Json::array(), events = Json::array();
  for (const Child& child : plan.apply) apply.push_back(child.object);
  for (const Patch& item : plan.patch)
    patch.push_back({{"kind", item.resource.kind}, {"name", item.key.name}, {"body", item.body}});
  for (const Removal& item : plan.remove)
    remove.push_back({{"kind", item.resource.kind}, {"name", item.key.name}, {"uid", item.uid}});
  for (const Notice& notice : plan.events)
    events.push_back({{"type", notice.warning ? "Warning" : "Normal"},
                      {"reason", notice.reason},
                      {"note", notice.note}});
  return {{"apply", apply},   {"patch", patch},
          {"remove", remove}, {"status", plan.status.value_or(Json())},
          {"events", events}, {"requeueAfterMs", plan.requeue_after_ms}};
}

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator("operator/testdata"))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// With the Agent's status from its own plan.
Plan PlanOfRun(const Json& run, Json agent, const Plan& of_agent, const std::vector<Json>& cluster,
               int64_t now) {
  ObservedRun observed;
  observed.run = run;
  if (of_agent.status) agent["status"] = *of_agent.status;
  observed.agent = agent;
  observed.children_read = true;
  for (const Json& object : cluster) {
    const std::string kind = object["kind"];
    if (kind == "Pod")
      observed.pods.push_back(object);
    else
      observed.children[{kind, kube::KeyOf(object).name}] = object;
  }
  std::erase_if(observed.children, [](const auto& child) {
    return child.first.kind == "Service" || child.first.kind == "EndpointSlice";
  });
  return MakeRunPlan(observed, {}, now);
}

Plan PlanOfServer(const Json& server, const std::vector<Json>& cluster, int64_t now) {
  ObservedServer observed;
  observed.server = server;
  for (const Json& object : cluster) {
    const std::string kind = object["kind"];
    if (kind == "Pod")
      observed.pods.push_back(object);
    else if (kind == "PersistentVolumeClaim")
      observed.claim = object;
    else
      observed.children[{kind, kube::KeyOf(object).name}] = object;
  }
  return MakeServerPlan(observed, {}, now);
}

class GoldenPlan : public testing::TestWithParam<std::string> {};

TEST_P(GoldenPlan, EqualsTheReviewedPlan) {
  const fs::path folder = fs::path("operator/testdata") / GetParam();
  const std::vector<Json> agents = Load(folder / "agent.yaml"),
                          servers = Load(folder / "server.yaml");
  ASSERT_EQ(agents.size() + servers.size(), 1U);
  const int64_t now = base::ParseTime("2026-01-02T03:04:05Z").value();
  const std::vector<Json> cluster = Load(folder / "cluster.yaml"), runs = Load(folder / "run.yaml");
  Settings settings;
  settings.foreign_pods.policy = "agent-memory-foreign-pods";
  Plan plan = servers.empty() ? MakePlan(Classify(agents[0], cluster), settings, now)
                              : PlanOfServer(servers[0], cluster, now);
  if (!runs.empty()) plan = PlanOfRun(runs[0], agents[0], plan, cluster, now);
  const std::string made = base::DumpYaml(Written(plan));
  const std::string file = (folder / "plan.yaml").string();
  if (std::getenv("UPDATE_GOLDEN")) {
    ASSERT_TRUE(base::ReplaceFile(file, made));
    fs::permissions(file, fs::perms(0644));
  }
  EXPECT_EQ(made, base::ReadFile(file).value_or(""))
      << "UPDATE_GOLDEN=1 operator_test --gtest_filter='*GoldenPlan*' writes it anew";
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenPlan, testing::ValuesIn(Cases()), [](const auto& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(GoldenPlans, ThereAreEnoughCases) { EXPECT_GE(Cases().size(), 28U); }

}  // namespace
}  // namespace controller
