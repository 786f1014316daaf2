// Foreign pods without a sidecar: which they are, and which of them may be replaced.
#include "operator/pods/uninjected_pods.h"

#include <gtest/gtest.h>

#include "operator/foreign_pods/uninjected_pods_fixture.h"

namespace controller {
namespace {

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

}  // namespace
}  // namespace controller
