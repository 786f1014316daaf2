// Uninjected pods, and those of them that may be replaced.
#include "operator/pods/uninjected_pods.h"

#include <gtest/gtest.h>

#include "operator/foreign_pods/uninjected_pods_fixture.h"

namespace controller {
namespace {

TEST(UninjectedPods, AreAliveAndHaveNoSidecar) {
  Json ended = Pod("ended"), leaving = Pod("leaving");
  ended["status"]["phase"] = "Succeeded";
  leaving["metadata"]["deletionTimestamp"] = kAfter;
  const UninjectedPods uninjected =
      FindUninjected({Pod("a"), WithSidecar(Pod("b"), true), ended, Pod("c", "")}, kSince);
  EXPECT_EQ(uninjected.count, 2u);
  EXPECT_EQ(uninjected.lasting, 1u) << "c has no controller";
  EXPECT_EQ(uninjected.names, (std::vector<std::string>{"a", "c"}));
  ASSERT_TRUE(uninjected.next);
  EXPECT_EQ(uninjected.next->uid, "uid-a");
  EXPECT_EQ(FindUninjected({leaving}, kSince).count, 0u);
}

TEST(UninjectedPods, AreReplacedOnlyIfThatInjectsThem) {
  Json newer = Pod("newer"), root = Pod("root"), once = Pod("once");
  newer["metadata"]["creationTimestamp"] = kAfter;
  root["spec"]["securityContext"] = {{"runAsUser", 0}};
  once["spec"]["restartPolicy"] = "Never";
  for (const Json& pod : {newer, root, once, Pod("job", "Job"), Pod("bare", "")}) {
    const UninjectedPods uninjected = FindUninjected({pod}, kSince);
    EXPECT_EQ(uninjected.count, 1u) << pod;
    EXPECT_FALSE(uninjected.next) << pod;
  }
  EXPECT_FALSE(FindUninjected({Pod("a")}, "").next) << "nothing is put in yet";
}

TEST(UninjectedPods, WaitUntilLastReplacementIsReady) {
  EXPECT_TRUE(FindUninjected({Pod("a"), WithSidecar(Pod("b"), true)}, kSince).next);
  EXPECT_FALSE(FindUninjected({Pod("a"), WithSidecar(Pod("b"), false)}, kSince).next);
  Json leaving = Pod("leaving");
  leaving["metadata"]["deletionTimestamp"] = kAfter;
  EXPECT_FALSE(FindUninjected({Pod("a"), leaving}, kSince).next);
}

TEST(UninjectedPods, UninjectablePodIsReportedOnItsController) {
  Json host = Pod("host"), mirror = Pod("mirror", "");
  host["spec"]["hostNetwork"] = true;
  mirror["metadata"]["annotations"] = {{"kubernetes.io/config.mirror", "x"}};
  const UninjectedPods uninjected = FindUninjected({host, mirror}, kSince);
  EXPECT_EQ(uninjected.count, 0u);
  ASSERT_EQ(uninjected.skipped.size(), 2u);
  EXPECT_EQ(uninjected.skipped[0].skip.reason, "HostNetwork");
  EXPECT_EQ(uninjected.skipped[0].regarding["kind"], "ReplicaSet");
  EXPECT_EQ(uninjected.skipped[1].skip.reason, "StaticPod");
  EXPECT_EQ(uninjected.skipped[1].regarding["kind"], "Pod");
}

TEST(UninjectedPods, PruningChangesNoResult) {
  Json host = Pod("host"), windows = Pod("windows"), taken = Pod("taken"), root = Pod("root");
  host["spec"]["hostNetwork"] = true;
  windows["spec"]["nodeSelector"] = {{"kubernetes.io/os", "windows"}};
  taken["spec"]["containers"].push_back({{"name", "memory"}});
  root["spec"]["securityContext"] = {{"runAsUser", 0}, {"fsGroup", 1}};
  std::vector<Json> pods = {Pod("a"),        host,           windows,
                            taken,           root,           WithSidecar(Pod("b"), true),
                            Pod("j", "Job"), Pod("bare", "")};
  const UninjectedPods whole = FindUninjected(pods, kSince);
  for (Json& pod : pods) PruneForeignPod(pod);
  const UninjectedPods pruned = FindUninjected(pods, kSince);
  EXPECT_EQ(pods[0]["spec"]["containers"], Json::parse(R"([{"name": "app"}])"));
  EXPECT_EQ(pruned.count, whole.count);
  EXPECT_EQ(pruned.lasting, whole.lasting);
  EXPECT_EQ(pruned.skipped.size(), whole.skipped.size());
  ASSERT_TRUE(pruned.next);
  EXPECT_EQ(pruned.next->uid, whole.next->uid);
}

}  // namespace
}  // namespace controller
