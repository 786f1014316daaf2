// Pods of others without a sidecar: found, told, and replaced only where that helps.
#include "operator/missed_pods.h"

#include <gtest/gtest.h>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/names.h"
#include "operator/pace.h"
#include "operator/replacing.h"

namespace controller {
namespace {

using base::Json;
using testing::Eventually;

constexpr const char *kBefore = "2026-01-01T00:00:00Z", *kSince = "2026-01-02T00:00:00Z",
                     *kAfter = "2026-01-03T00:00:00Z";

Json Pod(const std::string& name, const std::string& owner = "ReplicaSet") {
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata",
               {{"name", name},
                {"namespace", "n"},
                {"uid", "uid-" + name},
                {"labels", {{kMemoryLabel, "coder"}}},
                {"creationTimestamp", kBefore}}},
              {"spec", {{"containers", {{{"name", "app"}, {"image", "a"}}}}}},
              {"status", {{"phase", "Running"}}}};
  if (!owner.empty())
    pod["metadata"]["ownerReferences"] = {{{"apiVersion", "apps/v1"},
                                           {"kind", owner},
                                           {"name", "owner"},
                                           {"uid", "o"},
                                           {"controller", true}}};
  return pod;
}

Json WithSidecar(Json pod, bool ready) {
  pod["spec"]["initContainers"] = {{{"name", "memory"}, {"image", "m"}}};
  pod["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}};
  return pod;
}

TEST(MissedPods, AreAliveAndHaveNoSidecar) {
  Json ended = Pod("ended"), leaving = Pod("leaving");
  ended["status"]["phase"] = "Succeeded";
  leaving["metadata"]["deletionTimestamp"] = kAfter;
  const MissedPods missed =
      LookForMissed({Pod("a"), WithSidecar(Pod("b"), true), ended, Pod("c", "")}, kSince);
  EXPECT_EQ(missed.count, 2u);
  EXPECT_EQ(missed.lasting, 1u) << "c has no controller";
  EXPECT_EQ(missed.names, (std::vector<std::string>{"a", "c"}));
  ASSERT_TRUE(missed.next);
  EXPECT_EQ(missed.next->uid, "uid-a");
  EXPECT_EQ(LookForMissed({leaving}, kSince).count, 0u);
}

TEST(MissedPods, AreReplacedOnlyWhereThatGivesThemASidecar) {
  Json newer = Pod("newer"), root = Pod("root"), once = Pod("once");
  newer["metadata"]["creationTimestamp"] = kAfter;
  root["spec"]["securityContext"] = {{"runAsUser", 0}};
  once["spec"]["restartPolicy"] = "Never";
  for (const Json& pod : {newer, root, once, Pod("job", "Job"), Pod("bare", "")}) {
    const MissedPods missed = LookForMissed({pod}, kSince);
    EXPECT_EQ(missed.count, 1u) << pod;
    EXPECT_FALSE(missed.next) << pod;
  }
  EXPECT_FALSE(LookForMissed({Pod("a")}, "").next) << "nothing is put in yet";
}

TEST(MissedPods, WaitUntilTheLastReplacementIsReady) {
  EXPECT_TRUE(LookForMissed({Pod("a"), WithSidecar(Pod("b"), true)}, kSince).next);
  EXPECT_FALSE(LookForMissed({Pod("a"), WithSidecar(Pod("b"), false)}, kSince).next);
  Json leaving = Pod("leaving");
  leaving["metadata"]["deletionTimestamp"] = kAfter;
  EXPECT_FALSE(LookForMissed({Pod("a"), leaving}, kSince).next);
}

TEST(MissedPods, ThoseThatNoSidecarCouldServeAreToldToTheirController) {
  Json host = Pod("host"), mirror = Pod("mirror", "");
  host["spec"]["hostNetwork"] = true;
  mirror["metadata"]["annotations"] = {{"kubernetes.io/config.mirror", "x"}};
  const MissedPods missed = LookForMissed({host, mirror}, kSince);
  EXPECT_EQ(missed.count, 0u);
  ASSERT_EQ(missed.skipped.size(), 2u);
  EXPECT_EQ(missed.skipped[0].skip.reason, "HostNetwork");
  EXPECT_EQ(missed.skipped[0].told["kind"], "ReplicaSet");
  EXPECT_EQ(missed.skipped[1].skip.reason, "StaticPod");
  EXPECT_EQ(missed.skipped[1].told["kind"], "Pod");
}

TEST(MissedPods, PrunedTheyLookTheSame) {
  Json host = Pod("host"), windows = Pod("windows"), taken = Pod("taken"), root = Pod("root");
  host["spec"]["hostNetwork"] = true;
  windows["spec"]["nodeSelector"] = {{"kubernetes.io/os", "windows"}};
  taken["spec"]["containers"].push_back({{"name", "memory"}});
  root["spec"]["securityContext"] = {{"runAsUser", 0}, {"fsGroup", 1}};
  std::vector<Json> pods = {Pod("a"),        host,           windows,
                            taken,           root,           WithSidecar(Pod("b"), true),
                            Pod("j", "Job"), Pod("bare", "")};
  const MissedPods whole = LookForMissed(pods, kSince);
  for (Json& pod : pods) PruneForeignPod(pod);
  const MissedPods pruned = LookForMissed(pods, kSince);
  EXPECT_EQ(pods[0]["spec"]["containers"], Json::parse(R"([{"name": "app"}])"));
  EXPECT_EQ(pruned.count, whole.count);
  EXPECT_EQ(pruned.lasting, whole.lasting);
  EXPECT_EQ(pruned.skipped.size(), whole.skipped.size());
  ASSERT_TRUE(pruned.next);
  EXPECT_EQ(pruned.next->uid, whole.next->uid);
}

TEST(Pace, GivesOneEachInterval) {
  Pace pace(10);
  EXPECT_EQ(pace.Take(100'000), 0);
  EXPECT_EQ(pace.Take(102'000), 4'000);
  EXPECT_EQ(pace.Take(106'000), 0);
  EXPECT_EQ(pace.Take(106'000), 6'000);
}

TEST(Pace, WhatWasNotUsedIsGivenBack) {
  Pace pace(10);
  EXPECT_EQ(pace.Take(100'000), 0);
  pace.GiveBack();
  EXPECT_EQ(pace.Take(100'000), 0);
  EXPECT_EQ(pace.Take(100'000), 6'000);
}

TEST(Replacing, APodThatMayNotBeEvictedIsTriedEverMoreSeldom) {
  Replacing replacing;
  EXPECT_TRUE(replacing.Look({}, 1'000).evict);
  EXPECT_EQ(replacing.Blocked(1'000), 60'000);
  EXPECT_FALSE(replacing.Look({}, 60'999).evict);
  EXPECT_EQ(replacing.Look({}, 60'999).again_ms, 1);
  EXPECT_TRUE(replacing.Look({}, 61'000).evict);
  EXPECT_EQ(replacing.Blocked(61'000), 120'000);
  EXPECT_EQ(replacing.Blocked(200'000), 240'000);
  EXPECT_EQ(replacing.Blocked(500'000), 300'000);
  EXPECT_EQ(replacing.Blocked(900'000), 300'000);
  replacing.Evicted("p", {}, 1'200'000);
  EXPECT_TRUE(replacing.Look({"new"}, 1'201'000).evict);
  EXPECT_EQ(replacing.Blocked(1'201'000), 60'000) << "one went: it begins anew";
}

TEST(Replacing, ThatNoneCameIsToldOnceAndStopsIt) {
  Replacing replacing;
  replacing.Evicted("p", {"a", "b"}, 0);
  EXPECT_EQ(replacing.Look({"a"}, 1'000).again_ms, 119'000);
  EXPECT_EQ(replacing.Look({"a"}, 119'999).lost, "");
  EXPECT_EQ(replacing.Look({"a", "b"}, 120'000).lost, "p");
  const Replacing::Verdict again = replacing.Look({"b"}, 500'000);
  EXPECT_EQ(again.lost, "");
  EXPECT_FALSE(again.evict);
  EXPECT_EQ(again.again_ms, 0);
  EXPECT_TRUE(replacing.Look({"b", "c"}, 600'000).evict) << "one came after all";
  EXPECT_TRUE(replacing.Look({"b"}, 700'000).evict) << "and what goes later is no loss of ours";
}

// The whole loop against the fake API server, with this test as ReplicaSet, kubelet and policy.
class MissedPodsStory : public testing::Test {
 protected:
  MissedPodsStory() {
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
    options.replacements_per_minute = 6'000;
    options.on_skipped = [this](const std::string& reason) {
      skipped_.With([&](auto& all) { all.push_back(reason); });
    };
    controller_ = std::make_unique<Controller>(client_, std::move(options));
    controller_->Start();
  }
  Json Status() { return cluster_.Get(Agents(), {"n", "coder"})->value("status", Json::object()); }
  // As the ReplicaSet and the policy: what is gone is there again, with a sidecar.
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

TEST_F(MissedPodsStory, AreCountedAndLeftAloneUnlessTheAgentAllowsIt) {
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

TEST_F(MissedPodsStory, WhenNoReplacementComesOnePodIsLostAndNotAll) {
  GiveAgent(true);
  Start();
  ASSERT_TRUE(Eventually([&] { return Status().value("missedPods", 0) == 5; })) << Status();
  cluster_.Put(Pod("another", ""));  // the Agent is looked at again, and again nothing came
  ASSERT_TRUE(Eventually([&] { return Status().value("missedPods", 0) == 6; })) << Status();
  EXPECT_EQ(cluster_.List(kube::Pods(), "n").size(), 7u);
}

TEST_F(MissedPodsStory, ABlockedEvictionIsToldAndHoldsUpNobodyElse) {
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
  cluster_.Put(Pod("another", ""));  // the Agent is looked at again
  ASSERT_TRUE(Eventually([&] { return Status().value("missedPods", 0) == 7; })) << Status();
  controller_->Stop(1000);
  int tries = 0;
  for (const auto& call : cluster_.calls())
    tries += call.verb == "CREATE" && call.path.find("/eviction") != std::string::npos;
  EXPECT_EQ(tries, 1) << "the next one is a minute later";
}

}  // namespace
}  // namespace controller
