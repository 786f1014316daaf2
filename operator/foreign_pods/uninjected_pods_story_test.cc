// Uninjected pods in the running operator: counted, reported, and replaced only if their Agent
// allows it.
#include <gtest/gtest.h>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/foreign_pods/uninjected_pods_fixture.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

using testing::Eventually;

// The whole controller against the fake API server; the test is ReplicaSet, kubelet and policy.
class UninjectedPodsStory : public testing::Test {
 protected:
  UninjectedPodsStory() {
    for (const kube::Resource& kind : {Agents(), AgentTools(), AgentRuns(), MemoryServers(),
                                       InjectionPolicies(), InjectionBindings()})
      cluster_.Serve(kind);
    GiveAgent(false);
    Json host = Pod("host");
    host["spec"]["hostNetwork"] = true;
    cluster_.Put(host);
    cluster_.Put(Pod("bare", ""));
    for (int i = 0; i < 5; ++i) cluster_.Put(Pod("old-" + std::to_string(i)));
  }
  void GiveAgent(bool replace) {
    cluster_.Put({{"apiVersion", Agents().ApiVersion()},
                  {"kind", "Agent"},
                  {"metadata", {{"name", "coder"}, {"namespace", "n"}}},
                  {"spec",
                   {{"image", "i"},
                    {"memory", {{"serverRef", "m"}}},
                    {"injection", {{"foreignPods", true}, {"replaceMissedPods", replace}}}}}});
  }
  void Start() {
    ControllerOptions options;
    options.settings.foreign_pods.policy = "policy";
    options.foreign_pods.replacements_per_minute = 6'000;
    options.foreign_pods.on_skipped = [this](const std::string& reason) {
      skipped_.With([&](auto& all) { all.push_back(reason); });
    };
    controller_ = std::make_unique<Controller>(client_, std::move(options));
    controller_->Start();
  }
  Json Status() { return cluster_.Get(Agents(), {"n", "coder"})->value("status", Json::object()); }
  // Recreates missing pods with a sidecar, like the ReplicaSet and the policy.
  void Replace() {
    size_t of_set = 0;
    for (const Json& pod : cluster_.List(kube::Pods(), "n"))
      of_set +=
          kube::KeyOf(pod).name.starts_with("old-") || kube::KeyOf(pod).name.starts_with("new-");
    for (; of_set < 5; ++of_set)
      cluster_.Put(WithSidecar(Pod("new-" + std::to_string(made_++)), true));
  }

  testing::FakeCluster cluster_;
  kube::KubeClient client_{cluster_};
  base::Guarded<std::vector<std::string>> skipped_;
  int made_ = 0;
  std::unique_ptr<Controller> controller_;
};

TEST_F(UninjectedPodsStory, AreReplacedOnlyIfTheAgentAllowsIt) {
  Start();
  ASSERT_TRUE(Eventually([&] { return Status().value("missedPods", 0) == 6; })) << Status();
  EXPECT_NE(base::DumpJson(Status()).find("PodsWithoutMemory"), std::string::npos) << Status();
  ASSERT_TRUE(Eventually([&] {
    return skipped_.With([](auto& all) { return all == std::vector<std::string>{"HostNetwork"}; });
  }));
  ASSERT_TRUE(Eventually([&] {
    for (const Json& event : cluster_.List(kube::Events(), "n"))
      if (event["reason"] == "InjectionSkipped" && event["regarding"]["kind"] == "ReplicaSet")
        return true;
    return false;
  }));
  EXPECT_EQ(cluster_.List(kube::Pods(), "n").size(), 7u);

  GiveAgent(true);
  ASSERT_TRUE(Eventually([&] {
    Replace();
    return Status().value("missedPods", 0) == 1;
  })) << Status();
  EXPECT_TRUE(cluster_.Get(kube::Pods(), {"n", "bare"})) << "nobody would make it again";
  EXPECT_EQ(made_, 5) << "each once";
  controller_->Stop(1000);
  EXPECT_EQ(skipped_.With([](auto& all) { return all.size(); }), 1u) << "told once";
}

TEST_F(UninjectedPodsStory, MissingReplacementLosesOnlyOnePod) {
  GiveAgent(true);
  Start();
  ASSERT_TRUE(Eventually([&] { return Status().value("missedPods", 0) == 5; })) << Status();
  cluster_.Put(Pod("another", ""));  // requeues the Agent, still without a replacement
  ASSERT_TRUE(Eventually([&] { return Status().value("missedPods", 0) == 6; })) << Status();
  EXPECT_EQ(cluster_.List(kube::Pods(), "n").size(), 7u);
}

TEST_F(UninjectedPodsStory, BlockedEvictionIsReportedAndDelaysNoOther) {
  testing::Fault budget;
  budget.verb = "CREATE";
  budget.path_part = "/eviction";
  budget.status = 429;
  budget.times = 1'000;
  cluster_.Inject(budget);
  GiveAgent(true);
  Start();
  ASSERT_TRUE(Eventually([&] {
    for (const Json& event : cluster_.List(kube::Events(), "n"))
      if (event["reason"] == "PodNotReplaced" && event["regarding"]["kind"] == "Agent" &&
          base::DumpJson(event).find("poddisruptionbudgets") != std::string::npos)
        return true;
    return false;
  }));
  cluster_.Put(Pod("another", ""));  // requeues the Agent
  ASSERT_TRUE(Eventually([&] { return Status().value("missedPods", 0) == 7; })) << Status();
  controller_->Stop(1000);
  int tries = 0;
  for (const auto& call : cluster_.calls())
    tries += call.verb == "CREATE" && call.path.find("/eviction") != std::string::npos;
  EXPECT_EQ(tries, 1) << "the next one is a minute later";
}

}  // namespace
}  // namespace controller
