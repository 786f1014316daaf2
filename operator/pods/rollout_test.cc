// Updates of running pods, through whole plans.
#include "operator/pods/rollout.h"

#include <gtest/gtest.h>

#include "lib/kube/object/apply.h"
#include "operator/agent/plan.h"
#include "operator/crds/read_objects.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kRolloutNow = 1'767'323'045'000;

std::vector<Json> Objects(const std::string& yaml) {
  auto objects = ReadObjects(yaml, "agents");
  EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
  return objects ? *objects : std::vector<Json>{};
}

// An Agent, its workload as the first plan applies it, and a ready pod.
class RolloutTest : public testing::Test {
 protected:
  RolloutTest() {
    observed_ = Classify(AgentOf("image: x:1"), Around());
    workload_ = Wanted(observed_);
    workload_["metadata"]["uid"] = "uid-set";
    workload_["metadata"]["generation"] = 1;
    workload_["status"]["observedGeneration"] = 1;
    pod_ = Made(workload_);
  }
  static Json AgentOf(const std::string& spec) {
    return Objects(
               "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a, "
               "namespace: agents, uid: uid-a, generation: 1}, spec: {memory: {serverRef: m}, " +
               spec + "}}")
        .at(0);
  }
  static std::vector<Json> Around() {
    return Objects(
        "{apiVersion: v1, kind: Service, metadata: {name: m, namespace: agents}, spec: {ports: "
        "[{name: "
        "memory, port: 7437}]}}");
  }
  Json Wanted(const ObservedAgent& observed) {
    for (const Child& child : MakePlan(observed, settings_, kRolloutNow).apply)
      if (child.resource == kube::StatefulSets()) return child.object;
    ADD_FAILURE() << "no workload is applied";
    return {};
  }
  // The pod that a StatefulSet controller and a kubelet would make.
  static Json Made(const Json& workload) {
    Json pod = workload["spec"]["template"];
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"].update({{"name", "a-0"}, {"namespace", "agents"}, {"uid", "uid-pod"}});
    pod["metadata"]["ownerReferences"] = {
        {{"kind", "StatefulSet"}, {"name", "a"}, {"uid", "uid-set"}, {"controller", true}}};
    pod["status"] = {{"phase", "Running"},
                     {"podIP", "10.0.0.9"},
                     {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
                     {"initContainerStatuses",
                      {{{"name", kSidecarContainer}, {"state", {{"running", Json::object()}}}}}}};
    return pod;
  }
  // A plan of the Agent with this spec and of `pod_`; `applied`: the workload has the new template.
  Plan Look(const std::string& spec, bool applied = true, int64_t now_ms = kRolloutNow) {
    std::vector<Json> around = Around();
    around.push_back(pod_);
    Json agent = AgentOf(spec);
    if (!status_.is_null()) agent["status"] = status_;
    ObservedAgent observed = Classify(agent, around);
    observed.idle_ms = idle_ms_;
    observed.refused = refused_;
    observed.has_rollout_slot = has_rollout_slot_;
    observed.slot_held_ms = slot_held_ms_;
    observed.children[{"StatefulSet", "a"}] = workload_;
    if (applied) {
      for (const Child& child : MakePlan(observed, settings_, now_ms).apply)
        if (child.resource == kube::StatefulSets()) {
          Json next = child.object;
          next["metadata"]["uid"] = "uid-set";
          next["metadata"]["generation"] = 2;
          next["status"]["observedGeneration"] = seen_generation_;
          observed.children[{"StatefulSet", "a"}] = next;
        }
    }
    Plan plan = MakePlan(observed, settings_, now_ms);
    if (plan.status) status_ = *plan.status;
    return plan;
  }
  std::string UpToDate() const {
    for (const Json& condition : status_["conditions"])
      if (condition["type"] == "UpToDate")
        return condition["status"].get<std::string>() + " " +
               condition["reason"].get<std::string>() + ": " +
               condition["message"].get<std::string>();
    return "";
  }
  static const Patch* PodPatch(const Plan& plan) {
    for (const Patch& patch : plan.patch)
      if (patch.resource == kube::Pods()) return &patch;
    return nullptr;
  }
  static const Removal* PodRemoval(const Plan& plan) {
    for (const Removal& removal : plan.remove)
      if (removal.resource == kube::Pods()) return &removal;
    return nullptr;
  }

  Settings settings_;
  ObservedAgent observed_;
  Json workload_, pod_, status_;
  std::map<std::string, int64_t> idle_ms_ = {{"a-0", 60'000}};
  std::map<std::string, std::string> refused_;
  bool has_rollout_slot_ = true;
  int64_t seen_generation_ = 2, slot_held_ms_ = 0;
};

TEST_F(RolloutTest, CurrentPodIsUnchanged) {
  const Plan plan = Look("image: x:1");
  EXPECT_EQ(PodPatch(plan), nullptr);
  EXPECT_EQ(PodRemoval(plan), nullptr);
  EXPECT_TRUE(plan.rolled_out);
  EXPECT_EQ(UpToDate(), "True Current: every pod is made from the template");
}

TEST_F(RolloutTest, CopyOfAPodIsIgnored) {
  pod_["metadata"].erase("ownerReferences");
  EXPECT_EQ(PodRemoval(Look("image: x:2")), nullptr);
  EXPECT_TRUE(UpToDate().starts_with("Unknown NoPods")) << UpToDate();
}

TEST_F(RolloutTest, SidecarImageIsPatchedAndReverted) {
  for (const char* image : {"s:2", "s:1"}) {
    const Plan plan = Look("image: x:1, sidecar: {image: '" + std::string(image) + "'}");
    EXPECT_EQ(PodRemoval(plan), nullptr);
    const Patch* patch = PodPatch(plan);
    ASSERT_NE(patch, nullptr);
    EXPECT_EQ(patch->subresource, "");
    pod_ = pod_.patch(patch->body);  // throws if a test operation fails
    EXPECT_EQ(pod_["spec"]["initContainers"][0]["image"], image);
    EXPECT_TRUE(Look("image: x:1, sidecar: {image: '" + std::string(image) + "'}").rolled_out);
  }
  pod_["metadata"]["uid"] = "another";
  EXPECT_THROW(
      pod_.patch(PodPatch(Look("image: x:1, sidecar: {image: 's:3'}"))
                     ->body.patch(Json::parse(
                         R"([{"op": "replace", "path": "/0/value", "value": "uid-pod"}])"))),
      Json::exception)
      << "a pod of the same name that came meanwhile is not touched";
}

TEST_F(RolloutTest, RefusedResizeFallsBackToRestart) {
  const std::string spec = "image: x:1, sidecar: {resources: {limits: {memory: 256Mi}}}";
  const Plan plan = Look(spec);
  const Patch* patch = PodPatch(plan);
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(patch->subresource, "resize");
  EXPECT_EQ(PodRemoval(plan), nullptr);
  const Json before = pod_;
  pod_ = pod_.patch(patch->body);
  EXPECT_EQ(pod_["spec"]["initContainers"][0]["resources"]["limits"]["memory"], "256Mi");
  Json& conditions = pod_["status"]["conditions"];
  conditions.push_back({{"type", "PodResizePending"}, {"status", "True"}, {"reason", "Deferred"}});
  EXPECT_EQ(PodPatch(Look(spec)), nullptr) << "a change now would hold the kubelet up";
  EXPECT_TRUE(UpToDate().starts_with("False Progressing: ")) << UpToDate();
  EXPECT_NE(UpToDate().find("PodResizePending Deferred"), std::string::npos) << UpToDate();
  conditions.erase(1);
  const Plan noted = Look(spec);
  ASSERT_NE(PodPatch(noted), nullptr);
  EXPECT_EQ(PodPatch(noted)->subresource, "");
  pod_ = pod_.patch(PodPatch(noted)->body);
  EXPECT_TRUE(Look(spec).rolled_out);
  pod_ = before;
  refused_[patch->refusal] = "the server could not find the requested resource";
  const Plan second = Look(spec);
  ASSERT_NE(PodRemoval(second), nullptr);
  EXPECT_EQ(PodPatch(second), nullptr);
}

TEST_F(RolloutTest, OtherChangeDeletesPodAfterTemplate) {
  Plan plan = Look("image: x:2", /*applied=*/false);
  EXPECT_EQ(PodRemoval(plan), nullptr) << "the workload would make the old pod again";
  seen_generation_ = 1;
  plan = Look("image: x:2");
  EXPECT_EQ(PodRemoval(plan), nullptr) << "so it would before its controller has seen it";
  EXPECT_TRUE(UpToDate().starts_with("False Progressing: pod a-0 gets a restart")) << UpToDate();
  seen_generation_ = 2;
  plan = Look("image: x:2");
  ASSERT_NE(PodRemoval(plan), nullptr);
  EXPECT_EQ(PodRemoval(plan)->uid, "uid-pod");
  EXPECT_FALSE(plan.rolled_out);
  pod_["metadata"]["deletionTimestamp"] = "2026-01-02T03:04:05Z";
  plan = Look("image: x:2");
  EXPECT_EQ(PodRemoval(plan), nullptr) << "once";
  EXPECT_FALSE(plan.rolled_out);
}

TEST_F(RolloutTest, BusyAgentIsNotRestarted) {
  for (int64_t idle_ms : {int64_t{0}, int64_t{-1}}) {  // -1: the sidecar runs and does not answer
    idle_ms_.clear();
    if (idle_ms >= 0) idle_ms_["a-0"] = idle_ms;
    slot_held_ms_ = 0;
    const Plan plan = Look("image: x:2");
    EXPECT_EQ(PodRemoval(plan), nullptr);
    EXPECT_EQ(plan.requeue_after_ms, 1'000);
    EXPECT_NE(UpToDate().find("in a quiet moment"), std::string::npos) << UpToDate();
    slot_held_ms_ = 31'000;
    EXPECT_NE(PodRemoval(Look("image: x:2")), nullptr) << "but not for ever";
  }
  slot_held_ms_ = 0;
  pod_["status"]["initContainerStatuses"][0]["state"] = {{"waiting", Json::object()}};
  EXPECT_NE(PodRemoval(Look("image: x:2")), nullptr) << "a sidecar that does not run is mended";
}

TEST_F(RolloutTest, WaitsForASlotAndReportsIt) {
  has_rollout_slot_ = false;
  const Plan plan = Look("image: x:2");
  EXPECT_EQ(PodRemoval(plan), nullptr);
  EXPECT_TRUE(plan.wants_rollout_slot);
  EXPECT_TRUE(UpToDate().starts_with("False UpdatePending: ")) << UpToDate();
  EXPECT_GT(plan.requeue_after_ms, 0);
}

TEST_F(RolloutTest, PodWithoutAnnotationsIsUnchanged) {
  for (const char* note : {kTemplateHash, kSidecarHash})
    pod_["metadata"]["annotations"].erase(note);
  EXPECT_EQ(PodRemoval(Look("image: x:2")), nullptr);
  EXPECT_TRUE(UpToDate().starts_with("Unknown MadeEarlier: ")) << UpToDate();
  EXPECT_EQ(PodPatch(Look("image: x:2, sidecar: {image: 's:2'}")), nullptr);
}

TEST_F(RolloutTest, MutationsOfAdmissionAreKept) {
  Json& sidecar = pod_["spec"]["initContainers"][0];
  sidecar["image"] = "mirror.example/sidecar@sha256:1";
  sidecar["resources"]["requests"]["memory"] = "64Mi";
  const Plan plan = Look("image: x:1");
  EXPECT_EQ(PodPatch(plan), nullptr);
  EXPECT_EQ(PodRemoval(plan), nullptr);
  EXPECT_TRUE(plan.rolled_out);
}

TEST_F(RolloutTest, RefusedWorkloadRestartsNoPod) {
  std::vector<Json> around = Around();
  around.push_back(pod_);
  ObservedAgent observed = Classify(AgentOf("image: x:2"), around);
  observed.children[{"StatefulSet", "a"}] = workload_;
  observed.has_rollout_slot = true;
  observed.refused[kube::AnnotationOf(Wanted(observed), kIntentAnnotation)] = "no such field";
  const Plan plan = MakePlan(observed, settings_, kRolloutNow);
  EXPECT_EQ(PodRemoval(plan), nullptr) << "its workload would make the same pod again, and again";
  EXPECT_EQ(PodPatch(plan), nullptr);
}

TEST_F(RolloutTest, SlotIsHeldUntilNewSidecarStarts) {
  const std::string spec = "image: x:1, sidecar: {image: 's:2'}";
  Json& status = pod_["status"]["initContainerStatuses"][0];
  status["containerID"] = "containerd://old";
  const Plan first = Look(spec);
  ASSERT_NE(PodPatch(first), nullptr);
  pod_ = pod_.patch(PodPatch(first)->body);
  const Plan second = Look(spec);
  EXPECT_EQ(PodPatch(second), nullptr);
  EXPECT_FALSE(second.rolled_out) << "the pod is still Ready with the container of before";
  pod_["status"]["initContainerStatuses"][0]["containerID"] = "containerd://new";
  EXPECT_TRUE(Look(spec).rolled_out);
}

TEST_F(RolloutTest, UnresolvedServerRestartsNoPod) {
  const std::vector<Json> tool = Objects(
      "{apiVersion: agents.agentops.io/v1alpha1, kind: AgentTool, metadata: {name: m}, spec: "
      "{service: {name: real}}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: real}, "
      "spec: "
      "{ports: [{name: memory, port: 7437}]}}");
  workload_ = Wanted(Classify(AgentOf("image: x:1"), tool));
  workload_["metadata"]["uid"] = "uid-set";
  const std::string made_from =
      workload_["spec"]["template"]["metadata"]["annotations"][kTemplateHash];
  ObservedAgent gone = Classify(AgentOf("image: x:1"), {});  // AgentTool and Service are deleted
  Json owned = workload_;
  owned["metadata"]["ownerReferences"] = workload_["metadata"]["ownerReferences"];
  gone.children[{"StatefulSet", "a"}] = owned;
  for (const Child& child : MakePlan(gone, settings_, kRolloutNow).apply)
    EXPECT_FALSE(child.resource == kube::StatefulSets()) << child.object;
  EXPECT_FALSE(made_from.empty());
}

}  // namespace
}  // namespace controller
