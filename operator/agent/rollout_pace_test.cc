// A changed default updates all pods, a few at a time, each once: the whole controller against the
// fake API server, with this test as StatefulSet controller and kubelet.
#include <gtest/gtest.h>

#include <thread>

#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

constexpr int kAgents = 12;
constexpr size_t kAtOnce = 3;

class RolloutPaceTest : public testing::Test {
 protected:
  RolloutPaceTest() {
    for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()})
      cluster_.Serve(*kind);
    cluster_.Put({{"apiVersion", "v1"},
                  {"kind", "Service"},
                  {"metadata", {{"name", "m"}, {"namespace", "n"}}},
                  {"spec", {{"ports", {{{"name", "memory"}, {"port", 7437}}}}}}});
    for (int i = 0; i < kAgents; ++i)
      cluster_.Put({{"apiVersion", Agents().ApiVersion()},
                    {"kind", "Agent"},
                    {"metadata", {{"name", Name(i)}, {"namespace", "n"}}},
                    {"spec", {{"image", "i:1"}, {"memory", {{"serverRef", "m"}}}}}});
  }
  static std::string Name(int i) { return "a" + std::to_string(i); }
  static ControllerOptions With(const std::string& endpoint) {
    ControllerOptions options;
    options.settings.otlp_endpoint = endpoint;
    options.agents.concurrent_rollouts = kAtOnce;
    return options;
  }
  // Reports templates as observed, and creates missing pods, ready at once.
  void Kubelet() {
    for (int i = 0; i < kAgents; ++i) {
      const kube::ObjectKey set{"n", Name(i)};
      const auto workload = cluster_.Get(kube::StatefulSets(), set);
      if (!workload) continue;
      const Json& seen =
          workload->value("status", Json::object()).value("observedGeneration", Json());
      if (seen != kube::GenerationOf(*workload))
        cluster_.PutStatus(kube::StatefulSets(), set,
                           {{"observedGeneration", kube::GenerationOf(*workload)}});
    }
    const std::vector<Json> pods = cluster_.List(kube::Pods(), "n");
    const size_t missing = kAgents - pods.size();
    most_missing_ = std::max(most_missing_, made_ < kAgents ? 0 : missing);
    for (int i = 0; i < kAgents; ++i) MakePod(Name(i));
  }
  void MakePod(const std::string& agent) {
    const auto workload = cluster_.Get(kube::StatefulSets(), {"n", agent});
    if (!workload || cluster_.Get(kube::Pods(), {"n", agent + "-0"})) return;
    Json pod = workload->at("spec").at("template");
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"].update({{"name", agent + "-0"},
                            {"namespace", "n"},
                            {"ownerReferences",
                             {{{"kind", "StatefulSet"},
                               {"name", agent},
                               {"uid", kube::UidOf(*workload)},
                               {"controller", true}}}}});
    cluster_.Put(pod);
    cluster_.PutStatus(
        kube::Pods(), {"n", agent + "-0"},
        {{"phase", "Running"}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}});
    ++made_;
  }
  bool AllCurrent() const {
    for (int i = 0; i < kAgents; ++i) {
      const auto agent = cluster_.Get(Agents(), {"n", Name(i)});
      const auto workload = cluster_.Get(kube::StatefulSets(), {"n", Name(i)});
      const auto pod = cluster_.Get(kube::Pods(), {"n", Name(i) + "-0"});
      if (!workload || !pod || !agent->contains("status")) return false;
      const auto now = kube::FindCondition((*agent)["status"]["conditions"], "UpToDate");
      const Json& made_from = workload->at("spec").at("template").at("metadata").at("annotations");
      if (!now || now->reason != "Current" ||
          kube::AnnotationOf(*pod, kTemplateHash) != made_from.at(kTemplateHash))
        return false;
    }
    return true;
  }
  // Waits until `made` pods were created in total, and all are current.
  bool Settle(int made) {
    const int64_t end_ms = base::SystemClock().MonotonicMs() + 60'000;
    const auto done = [&] { return made_ >= made && AllCurrent(); };
    while (!done() && base::SystemClock().MonotonicMs() < end_ms) {
      Kubelet();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return done();
  }

  testing::FakeCluster cluster_;
  kube::KubeClient client_{cluster_, {kFieldManager, 10'000, 60'000, {}, {}}};
  size_t most_missing_ = 0;
  int made_ = 0;
};

TEST_F(RolloutPaceTest, ChangedDefaultRestartsFewAtATimeAndEachOnce) {
  {
    Controller before(client_, With(""));
    before.Start();
    ASSERT_TRUE(Settle(kAgents));
    ASSERT_EQ(made_, kAgents);
  }
  Controller after(client_, With("http://collector:4318"));
  after.Start();
  ASSERT_TRUE(Settle(2 * kAgents));
  EXPECT_EQ(made_, 2 * kAgents) << "each pod was made anew once";
  EXPECT_GE(most_missing_, 1U);
  EXPECT_LE(most_missing_, kAtOnce);
}

}  // namespace
}  // namespace controller
