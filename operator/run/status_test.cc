// The status of a run during its Job and at its end.
#include "operator/run/status.h"

#include <gtest/gtest.h>

#include "operator/run/run_fixture.h"

namespace controller {
namespace {

TEST(RunStatus, ConditionsDistinguishTheStates) {
  Made run;
  EXPECT_EQ(Conditions(run.Look()), "False Unknown False Progressing");
  EXPECT_EQ(run.Look()["job"], "r");
  Json& pod = run.AddPod("Pending");
  pod["status"]["containerStatuses"] = Json::parse(
      R"([{"name": "agent", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}])");
  EXPECT_EQ(Conditions(run.Look()), "False Unknown False ImagePullBackOff");
  pod["status"]["phase"] = "Running";
  pod["status"].erase("containerStatuses");
  pod["status"]["conditions"] = {{{"type", "Ready"}, {"status", "True"}}};
  EXPECT_EQ(Conditions(run.Look()), "False Unknown False Running");
  run.AgentEnds(0);
  EXPECT_EQ(Conditions(run.Look()), "False Unknown False Ending") << "the sidecar still delivers";
  Made other = run;
  pod["status"]["phase"] = "Succeeded";
  run.JobEnds("Complete");
  EXPECT_EQ(Conditions(run.Look()), "True True False Completed");
  other.AgentEnds(3);
  other.observed.pods.back()["status"]["phase"] = "Failed";
  other.JobEnds("Failed");
  const Json failed = other.Look();
  EXPECT_EQ(Conditions(failed), "False False True AgentFailed");
  EXPECT_EQ(failed["exitCode"], 3);
  EXPECT_EQ(failed["startTime"], "2026-01-02T03:00:00Z");
  EXPECT_EQ(failed["completionTime"], "2026-01-02T03:01:00Z");
}

TEST(RunStatus, MissingPodHasItsCause) {
  Made run;
  run.Look();
  const Plan plan = PlanOf(run.observed, kNow + 10'000);
  ASSERT_EQ(plan.suspects.size(), 1u);
  EXPECT_EQ(plan.suspects[0], (Suspect{"Job", "r", "uid-job", kNow}));
  EXPECT_GT(plan.requeue_after_ms, 0) << "no watch says why";
  run.observed.causes = {{"Job", "FailedCreate", "Job r: FailedCreate: quota"}};
  const Json status = run.Look();
  EXPECT_EQ(Conditions(status), "False Unknown False FailedCreate");
  EXPECT_EQ(status["conditions"][1]["message"], "Job r: FailedCreate: quota");
  run.observed.causes.clear();
  Json& pod = run.AddPod("Running");
  pod["status"]["conditions"] = {{{"type", "Ready"}, {"status", "True"}}};
  EXPECT_EQ(Conditions(run.Look()), "False Unknown False Running");
  EXPECT_TRUE(PlanOf(run.observed, kNow + 10'000).suspects.empty());
}

TEST(RunStatus, ExitCodeIsTheAgents) {
  for (const int code : {137, 143}) {
    Made run;
    run.AddPod("Succeeded");
    run.AgentEnds(0);
    run.SidecarEnds(code, "");
    run.JobEnds("Complete");
    const Json status = run.Look();
    EXPECT_EQ(Conditions(status), "True True False Completed");
    EXPECT_EQ(status["exitCode"], 0);
    EXPECT_FALSE(status.contains("undelivered")) << "it left no word: nobody knows";
  }
}

TEST(RunStatus, HasTheSidecarsTerminationMessage) {
  Made run;
  run.AddPod("Succeeded");
  run.AgentEnds(0);
  run.SidecarEnds(0, R"({"session": "s-1", "undelivered": 2})");
  run.JobEnds("Complete");
  const Json status = run.Look();
  EXPECT_EQ(status["session"], "s-1");
  EXPECT_EQ(status["undelivered"], 2);
  EXPECT_NE(base::DumpJson(status["conditions"]).find("2 writes were not taken"),
            std::string::npos);
}

TEST(RunStatus, IgnoresOtherTerminationMessages) {
  for (const char* words :
       {"the end of a log with a secret", "[1]", R"({"session": 7, "undelivered": -1})",
        R"({"undelivered": "many", "x": "a secret"})", "{\"session\": \"\"}"}) {
    Made run;
    run.AddPod("Failed");
    run.AgentEnds(1);
    run.SidecarEnds(1, words);
    run.JobEnds("Failed");
    const Json status = run.Look();
    EXPECT_FALSE(status.contains("session")) << words;
    EXPECT_FALSE(status.contains("undelivered")) << words;
    EXPECT_EQ(base::DumpJson(status).find("secret"), std::string::npos);
  }
}

TEST(RunStatus, EndedRunIsNotWrittenAgain) {
  Made run;
  run.AddPod("Failed");
  run.AgentEnds(3);
  run.SidecarEnds(0, R"({"session": "s-1", "undelivered": 0})");
  run.JobEnds("Failed");
  const Json status = run.Look();
  EXPECT_TRUE(HasEnded(run.observed.run));
  run.observed.pods.clear();
  EXPECT_TRUE(PlanOf(run.observed, kNow + 1'000).IsEmpty()) << "the pod is gone";
  run.observed.agent.reset();
  EXPECT_TRUE(PlanOf(run.observed, kNow + 1'000).IsEmpty()) << "and its Agent";
  run.observed.children.clear();
  for (const bool children_read : {false, true}) {
    run.observed.children_read = children_read;
    const Plan plan = PlanOf(run.observed, kNow + 1'000);
    EXPECT_TRUE(plan.IsEmpty() && plan.not_in_cache.empty()) << "and the Job";
  }
}

TEST(RunStatus, EndIsReportedOnceThePodEnded) {
  Made run;
  run.AddPod("Running");
  run.JobEnds("Failed");
  EXPECT_EQ(Conditions(run.Look()).substr(0, 19), "False Unknown False")
      << "the pod's cache is late";
  run.AgentEnds(3);
  run.observed.pods.back()["status"]["phase"] = "Failed";
  EXPECT_EQ(Conditions(run.Look()), "False False True AgentFailed");
}

TEST(RunStatus, LostJobIsNotRunAgain) {
  Made run;
  run.Look();
  run.observed.children.clear();
  run.observed.children_read = false;
  EXPECT_EQ(PlanOf(run.observed).not_in_cache.size(), 1u) << "caches may be late";
  run.observed.children_read = true;
  EXPECT_EQ(Conditions(run.Look()), "False False True JobLost");
  EXPECT_TRUE(PlanOf(run.observed).IsEmpty());
}

TEST(RunStatus, LostPodIsReported) {
  Made run;
  run.JobEnds("Failed");
  EXPECT_EQ(Conditions(run.Look()), "False False True PodLost");
}

TEST(RunStatus, OnlyFailuresAreEvents) {
  Made run;
  EXPECT_TRUE(PlanOf(run.observed).events.empty());
  run.AddPod("Failed");
  run.AgentEnds(3);
  run.JobEnds("Failed");
  const Plan plan = PlanOf(run.observed);
  ASSERT_EQ(plan.events.size(), 1u);
  EXPECT_TRUE(plan.events[0].warning);
  EXPECT_EQ(plan.events[0].reason, "AgentFailed");
}

}  // namespace
}  // namespace controller
