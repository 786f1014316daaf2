// Plans of AgentRuns: one Job, or the obstacle.
#include "operator/run/plan.h"

#include <gtest/gtest.h>

#include "operator/names/names.h"
#include "operator/objects/run_objects.h"
#include "operator/run/run_fixture.h"

namespace controller {
namespace {

TEST(RunPlan, ReadyTaskGetsOneOwnedJob) {
  const Plan plan = PlanOf(Looked());
  ASSERT_EQ(plan.apply.size(), 1u);
  const Json& job = *JobIn(plan);
  EXPECT_EQ(kube::ControllerOf(job).uid, "uid-r");
  EXPECT_EQ(kube::ControllerOf(job).kind, "AgentRun");
  EXPECT_EQ(job["spec"]["backoffLimit"], 0);
  EXPECT_FALSE(job["spec"].contains("ttlSecondsAfterFinished"));
  const Json& pod = job["spec"]["template"]["spec"];
  EXPECT_EQ(pod["restartPolicy"], "Never");
  EXPECT_EQ(pod["initContainers"][0]["name"], kSidecarContainer);
  EXPECT_EQ(kube::AnnotationOf(job, kAgentGeneration), "2");
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(Conditions(*plan.status), "False Unknown False Progressing");
  EXPECT_FALSE(plan.status->contains("job")) << "not before it is there";
}

TEST(RunPlan, JobIsReadBeforeItIsCreated) {
  ObservedRun observed = Looked();
  observed.children_read = false;
  const Plan plan = PlanOf(observed);
  EXPECT_TRUE(plan.apply.empty());
  EXPECT_FALSE(plan.status);
  EXPECT_EQ(plan.not_in_cache, (std::vector<ChildKey>{{"Job", "r"}}));
}

TEST(RunPlan, ArgsAndEnvOverrideTheAgents) {
  const Plan plan = PlanOf(Looked(RunOf(", args: [new, '2'], env: {B: runs, S: runs, C: runs}")));
  const Json& agent = AgentIn(plan);
  EXPECT_EQ(agent["args"], Json({"new", "2"}));
  EXPECT_EQ(Variable(agent, "A"), "agents");
  EXPECT_EQ(Variable(agent, "B"), "runs");
  EXPECT_EQ(Variable(agent, "S"), "runs") << "also over a Secret's";
  EXPECT_EQ(Variable(agent, "C"), "runs");
  EXPECT_EQ(AgentIn(PlanOf(Looked()))["args"], Json({"old"}));
}

TEST(RunPlan, PromptIsPassedUnchanged) {
  Json run = RunOf();
  run["spec"]["prompt"] = "$(A) costs $5, not $$5";
  const Json agent = AgentIn(PlanOf(Looked(run)));
  EXPECT_EQ(Variable(agent, "AGENT_PROMPT"), "$$(A) costs $$5, not $$$$5")
      << "as Kubernetes wants it, which reads $$ as $ and $(A) as a reference";
  EXPECT_EQ(Variable(agent, "AGENT_PROMPT_FILE"), "(none)");
  EXPECT_EQ(Variable(AgentIn(PlanOf(Looked())), "AGENT_PROMPT"), "(none)");
}

TEST(RunPlan, LongPromptIsAFile) {
  Json run = RunOf();
  run["spec"]["prompt"] = std::string(kMostPromptBytesInVariable, '$');
  EXPECT_EQ(PlanOf(Looked(run)).apply.size(), 1u);
  run["spec"]["prompt"] = std::string(kMostPromptBytesInVariable + 1, '$');
  const Plan plan = PlanOf(Looked(run));
  ASSERT_EQ(plan.apply.size(), 2u);
  EXPECT_EQ(plan.apply[0].object["data"]["prompt"], run["spec"]["prompt"]);
  EXPECT_EQ(plan.apply[1].resource.kind, "Job") << "behind what its pod mounts";
  const Json& agent = AgentIn(plan);
  EXPECT_EQ(Variable(agent, "AGENT_PROMPT_FILE"), "/etc/agent-run/prompt");
  EXPECT_EQ(Variable(agent, "AGENT_PROMPT"), "(none)");
}

TEST(RunPlan, ObstacleHasReasonAndName) {
  Json daemon = ReadyAgent(), unseen = ReadyAgent(), leaving = ReadyAgent();
  daemon["spec"]["mode"] = "daemon";
  unseen["status"]["observedGeneration"] = 1;
  leaving["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z";
  const struct {
    Json agent;
    std::string conditions, words;
  } cases[] = {
      {nullptr, "False Unknown False AgentNotFound", "Agent agents/a is not there"},
      {leaving, "False Unknown False AgentNotFound", "Agent agents/a is not there"},
      {daemon, "False Unknown True AgentNotTask", "Agent agents/a has mode daemon"},
      {unseen, "False Unknown False Progressing", "Agent agents/a is being reconciled"},
      {NotReady("MemoryResolved", "ServiceNotFound", "no Service m", false),
       "False Unknown False MemoryNotResolved", "Agent agents/a is not ready: no Service m"},
      {NotReady("MemoryResolved", "ReferenceNotGranted", "not allowed", true),
       "False Unknown True MemoryNotResolved", "not allowed"},
      {NotReady("Other", "TemplateInvalid", "no containers", true),
       "False Unknown True AgentNotReady", "no containers"}};
  for (const auto& one : cases) {
    for (const bool children_read : {false, true}) {
      ObservedRun observed = Looked(RunOf(), one.agent);
      observed.children_read = children_read;
      const Plan plan = PlanOf(observed);
      EXPECT_TRUE(plan.apply.empty()) << one.words;
      ASSERT_TRUE(plan.status) << one.words;
      EXPECT_EQ(Conditions(*plan.status), one.conditions);
      EXPECT_NE(Message(plan).find(one.words), std::string::npos) << Message(plan);
    }
  }
}

TEST(RunPlan, ForeignObjectsWithItsNamesAreUnchanged) {
  ObservedRun observed = Looked();
  observed.children[{"Job", "r"}] = {{"metadata", {{"name", "r"}, {"uid", "other"}}}};
  Plan plan = PlanOf(observed);
  EXPECT_TRUE(plan.apply.empty());
  EXPECT_EQ(Conditions(*plan.status), "False Unknown True NameTaken");
  observed.children[{"Job", "r"}]["metadata"]["ownerReferences"] = {
      {{"kind", "AgentRun"}, {"name", "r"}, {"uid", "uid-before"}, {"controller", true}}};
  plan = PlanOf(observed);
  EXPECT_EQ(Conditions(*plan.status), "False Unknown False Progressing")
      << "the garbage collector is still at it";
}

TEST(RunPlan, RefusedObjectIsReported) {
  ObservedRun observed = Looked();
  observed.refused = "spec.template: no";
  const Plan plan = PlanOf(observed);
  EXPECT_TRUE(plan.apply.empty());
  EXPECT_EQ(Conditions(*plan.status), "False Unknown True Refused");
  EXPECT_NE(Message(plan).find("spec.template: no"), std::string::npos);
}

TEST(RunPlan, OwnVolumeIsCreatedAndRetainedAsSet) {
  auto claim = [](const std::string& storage) {
    return PlanOf(Looked(RunOf(", storage: " + storage))).apply.at(0).object;
  };
  const Json kept = claim("{size: 2Gi, storageClass: fast}");
  EXPECT_EQ(kept["kind"], "PersistentVolumeClaim");
  EXPECT_EQ(kube::KeyOf(kept).name, "run-data-r");
  EXPECT_EQ(kept["spec"]["resources"]["requests"]["storage"], "2Gi");
  EXPECT_EQ(kept["spec"]["storageClassName"], "fast");
  EXPECT_EQ(kube::AnnotationOf(kept, kRetainedFrom), "uid-r");
  EXPECT_EQ(kube::ControllerOf(kept).uid, "") << "it outlives the AgentRun";
  EXPECT_EQ(kube::ControllerOf(claim("{retain: false}")).uid, "uid-r");
  const Json pod = (*JobIn(PlanOf(Looked(RunOf(", storage: {}")))))["spec"]["template"]["spec"];
  EXPECT_EQ((*FindNamed(pod, "volumes", "data"))["persistentVolumeClaim"]["claimName"],
            "run-data-r");
  const Json without = (*JobIn(PlanOf(Looked())))["spec"]["template"]["spec"];
  EXPECT_TRUE(FindNamed(without, "volumes", "data")->contains("emptyDir"));
}

TEST(RunPlan, LeftoverVolumeNeedsAdopt) {
  const Json claim = {{"metadata",
                       {{"name", "run-data-r"},
                        {"namespace", "agents"},
                        {"uid", "uid-claim"},
                        {"annotations", {{kRetainedFrom, "uid-before"}}}}}};
  ObservedRun observed = Looked(RunOf(", storage: {}"));
  observed.children[{"PersistentVolumeClaim", "run-data-r"}] = claim;
  Plan plan = PlanOf(observed);
  EXPECT_TRUE(plan.apply.empty());
  EXPECT_EQ(Conditions(*plan.status), "False Unknown True VolumeNotAdopted");
  EXPECT_NE(Message(plan).find("adopt"), std::string::npos);
  observed.run = RunOf(", storage: {adopt: true}");
  plan = PlanOf(observed);
  ASSERT_EQ(plan.apply.size(), 1u) << "the Job; the claim is there";
  ASSERT_EQ(plan.patch.size(), 1u);
  EXPECT_EQ(plan.patch[0].body["metadata"]["annotations"][kRetainedFrom], "uid-r");
}

TEST(RunPlan, LaterEditsOfTheAgentChangeNothing) {
  Made run;
  run.Look();
  (*run.observed.agent)["spec"]["image"] = "newer";
  (*run.observed.agent)["metadata"]["generation"] = 3;
  EXPECT_TRUE(PlanOf(run.observed).IsEmpty());
  run.observed.agent.reset();
  EXPECT_TRUE(PlanOf(run.observed).IsEmpty());
}

TEST(RunPlan, DeletedRunIsUnchanged) {
  ObservedRun observed = Looked();
  observed.run["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z";
  EXPECT_TRUE(PlanOf(observed).IsEmpty());
}

}  // namespace
}  // namespace controller
