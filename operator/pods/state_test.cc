// The summary of a pod's status.
#include "operator/pods/state.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

using base::Json;

Json PodOf() {
  return Json::parse(R"({"metadata": {"name": "a-0"},
      "spec": {"initContainers": [{"name": "memory", "image": "s:1"}]},
      "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}],
        "initContainerStatuses": [{"name": "memory", "state": {"running": {}}}]}})");
}

TEST(PodState, BlockingInitContainerIsNamedFirst) {
  Json pod = PodOf();
  pod["status"]["containerStatuses"] =
      Json::parse(R"([{"name": "agent", "state": {"waiting": {"reason": "PodInitializing"}}}])");
  pod["status"]["initContainerStatuses"][0]["state"] =
      Json::parse(R"({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}})");
  PodState state = StateOf(pod);
  EXPECT_EQ(state.reason, "ImagePullBackOff");
  EXPECT_EQ(state.message, "container memory of pod a-0 (s:1): ImagePullBackOff: no such image");
  EXPECT_FALSE(state.sidecar_running);
}

TEST(PodState, CrashingAgentIsNamedAfterRunningSidecar) {
  Json pod = PodOf();
  pod["status"]["containerStatuses"] = Json::parse(
      R"([{"name": "agent", "image": "x:1", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}])");
  EXPECT_EQ(StateOf(pod).reason, "CrashLoopBackOff");
  EXPECT_TRUE(StateOf(pod).sidecar_running);
}

TEST(PodState, CrashHasExitCodeWithoutLog) {
  Json pod = PodOf();
  pod["status"]["initContainerStatuses"][0]["state"] = Json::parse(
      R"({"terminated": {"reason": "Error", "exitCode": 137, "message": "secret of a log"}})");
  EXPECT_EQ(StateOf(pod).message, "container memory of pod a-0 (s:1): Error: exit code 137");
}

TEST(PodState, EndedSidecarInRunningPodIsAFault) {
  Json pod = PodOf();
  pod["status"]["phase"] = "Running";
  pod["spec"]["initContainers"][0]["image"] = "nowhere:1";
  pod["status"]["initContainerStatuses"][0]["state"] =
      Json::parse(R"({"terminated": {"reason": "Completed", "exitCode": 0}})");
  EXPECT_EQ(
      StateOf(pod).message,
      "container memory of pod a-0 (nowhere:1): Progressing: it ended and is to be started again");
  pod["status"]["phase"] = "Succeeded";
  EXPECT_EQ(StateOf(pod).reason, "Progressing") << "a task's sidecar ends after its agent";
}

TEST(PodState, UnschedulablePodHasItsReason) {
  Json pod = PodOf();
  pod["status"] =
      Json::parse(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
      "reason": "Unschedulable", "message": "0/1 nodes"}]})");
  EXPECT_EQ(StateOf(pod).reason, "Unschedulable");
  pod["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z";
  EXPECT_TRUE(StateOf(pod).leaving);
}

}  // namespace
}  // namespace controller
