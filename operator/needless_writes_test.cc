// Writes that the controller must not make: repeated ones that its caches lack yet, and ones
// without a change. Against the fake API server, whose watches can be delayed.
#include <gtest/gtest.h>

#include <thread>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

using testing::Eventually;

class NeedlessWrites : public testing::Test {
 protected:
  NeedlessWrites() {
    for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()})
      cluster_.Serve(*kind);
    PutService(0);
  }
  ~NeedlessWrites() override { cluster_.HoldEvents(false); }
  void PutAgent(int context_limit, const std::string& name = "a") {
    cluster_.Put({{"apiVersion", Agents().ApiVersion()},
                  {"kind", "Agent"},
                  {"metadata", {{"name", name}, {"namespace", "n"}}},
                  {"spec",
                   {{"image", "i:1"},
                    {"mode", "daemon"},
                    {"memory", {{"serverRef", "m"}, {"contextLimit", context_limit}}}}}});
  }
  void PutService(int revision) {
    cluster_.Put({{"apiVersion", "v1"},
                  {"kind", "Service"},
                  {"metadata",
                   {{"name", "m"},
                    {"namespace", "n"},
                    {"labels", {{"revision", std::to_string(revision)}}}}},
                  {"spec", {{"ports", {{{"name", "memory"}, {"port", 7437}}}}}}});
  }
  bool Idle(int64_t at_least) const {
    const kube::QueueStats stats = controller_.loop().queue_stats();
    return controller_.loop().synced() && stats.depth == 0 && stats.in_work == 0 &&
           stats.done >= at_least;
  }

  testing::FakeCluster cluster_;
  std::function<void()> before_first_answer_ = [] {};  // before the first write's answer
  std::once_flag first_;
  std::atomic<int64_t> writes_{0};
  kube::KubeClient client_{cluster_,
                           {kFieldManager,
                            10'000,
                            60'000,
                            [this](std::string_view verb, int, double) {
                              if (verb == "GET" || verb == "WATCH" || verb == "POST")
                                return;  // POST: only Events
                              ++writes_;
                              std::call_once(first_, before_first_answer_);
                            },
                            {}}};
  Controller controller_{client_, {}};
};

TEST_F(NeedlessWrites, LateWatchRepeatsNoWrite) {
  // A second edit arrives while the first is being written, and no further one.
  before_first_answer_ = [this] {
    const int64_t adds = controller_.loop().queue_stats().adds;
    PutAgent(7);
    EXPECT_TRUE(Eventually([&] { return controller_.loop().queue_stats().adds > adds; }));
    cluster_.HoldEvents(true);
  };
  PutAgent(5);
  controller_.Start();
  constexpr int kFirst = 5, kSecond = 3;  // account, two maps, workload, status; maps and status
  EXPECT_TRUE(Eventually([&] { return writes_ == kFirst; }));
  // Waits three seconds; a reconcile in between would write within milliseconds.
  const int64_t end_ms = base::SystemClock().MonotonicMs() + 3'000;
  EXPECT_TRUE(Eventually([&] { return base::SystemClock().MonotonicMs() >= end_ms; }));
  EXPECT_EQ(writes_, kFirst) << "its own writes were not seen yet";
  EXPECT_EQ(controller_.loop().queue_stats().in_work, 1u);
  cluster_.HoldEvents(false);
  const kube::ObjectKey map{"n", PolicyConfigMapName("a")};
  EXPECT_TRUE(Eventually([&] {
    auto policy = cluster_.Get(kube::ConfigMaps(), map);
    return policy && base::DumpJson(*policy).find("contextLimit\\\": 7") != std::string::npos;
  }));
  EXPECT_TRUE(Eventually([&] { return Idle(2); }));
  EXPECT_EQ(writes_, kFirst + kSecond);
}

TEST_F(NeedlessWrites, UnchangedObjectIsNeverWritten) {
  constexpr int kAgents = 20, kRounds = 50;
  for (int i = 0; i < kAgents; ++i) PutAgent(5, "a" + std::to_string(i));
  controller_.Start();
  ASSERT_TRUE(Eventually([&] { return writes_ >= 5 * kAgents && Idle(kAgents); }));
  const int64_t before = writes_, done = controller_.loop().queue_stats().done;
  for (int round = 1; round <= kRounds; ++round) {
    PutService(round);
    ASSERT_TRUE(Eventually([&] { return Idle(done + round * kAgents); })) << round;
  }
  EXPECT_GE(controller_.loop().queue_stats().done - done, 1'000);
  EXPECT_EQ(writes_, before);
}

TEST_F(NeedlessWrites, ContestedFieldIsReportedAndNotRewritten) {
  PutAgent(5);
  controller_.Start();
  ASSERT_TRUE(Eventually([&] { return writes_ >= 5 && Idle(1); }));
  kube::KubeClient flux(cluster_, {"flux", 10'000, 60'000, {}, {}});
  kube::ApplyOptions force;
  force.force = true;
  const kube::ObjectKey map{"n", PolicyConfigMapName("a")};
  Json theirs = {{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata", {{"name", map.name}, {"namespace", "n"}}},
                 {"data", {{kPolicyFile, "theirs"}}}};
  ASSERT_TRUE(flux.Apply(kube::ConfigMaps(), theirs, force));
  auto degraded = [&] {
    const auto agent = cluster_.Get(Agents(), {"n", "a"});
    for (const Json& condition : agent->at("status").at("conditions"))
      if (condition["type"] == "Degraded")
        return condition["reason"].get<std::string>() + ": " +
               condition["message"].get<std::string>();
    return std::string();
  };
  ASSERT_TRUE(Eventually([&] { return degraded().starts_with("FieldConflict: "); })) << degraded();
  EXPECT_NE(
      degraded().find(map.name + ": Apply failed with 1 conflict: conflict with \"flux\": .data"),
      std::string::npos)
      << degraded();
  EXPECT_EQ(cluster_.Get(kube::ConfigMaps(), map)->at("data").at(kPolicyFile), "theirs");
  // Each reconcile retries the apply, and does not write the status again.
  const auto status = cluster_.Get(Agents(), {"n", "a"})->at("metadata").at("resourceVersion");
  for (int round = 1; round <= 3; ++round) {
    const int64_t done = controller_.loop().queue_stats().done;
    PutService(round);
    ASSERT_TRUE(Eventually([&] { return Idle(done + 1); })) << round;
  }
  EXPECT_EQ(cluster_.Get(Agents(), {"n", "a"})->at("metadata").at("resourceVersion"), status);
  // The other controller drops the field, and the operator applies it again.
  theirs.erase("data");
  ASSERT_TRUE(flux.Apply(kube::ConfigMaps(), theirs));
  EXPECT_TRUE(Eventually([&] { return degraded().find("flux") == std::string::npos; }))
      << degraded();
  EXPECT_NE(cluster_.Get(kube::ConfigMaps(), map)->at("data").at(kPolicyFile), "theirs");
}

}  // namespace
}  // namespace controller
