// MakeRunPlan: reports the Job's progress; without a Job reports the obstacle, or makes the Job.
#include "operator/run/plan.h"

#include <algorithm>

#include "operator/names/names.h"
#include "operator/objects/pod_template.h"
#include "operator/objects/run_objects.h"
#include "operator/pods/causes.h"
#include "operator/pods/remedy.h"
#include "operator/run/status.h"

namespace controller {
namespace {

using base::Json;

struct RunDraft {
  const ObservedRun& observed;
  const Settings& settings;
  int64_t now_ms;
  api::AgentRun run;
  Plan plan;
};

const Json* Find(const RunDraft& draft, const kube::Resource& kind, const std::string& name) {
  auto found = draft.observed.children.find({kind.kind, name});
  return found == draft.observed.children.end() ? nullptr : &found->second;
}

bool IsOurs(const Json& object, const api::AgentRun& run) {
  return !run.uid.empty() && kube::ControllerOf(object).uid == run.uid;
}

Plan WithStatus(RunDraft& draft, const RunState& state) {
  Json status = RunStatusOf(draft.observed.run, state, draft.now_ms);
  const Json* stored = base::At(draft.observed.run, {"status"});
  if (!stored || *stored != status) {
    draft.plan.events = NoticesOfRun(stored ? *stored : Json(), status);
    draft.plan.status = std::move(status);
  }
  return std::move(draft.plan);
}

// ---- obstacles ----

// A condition of the Agent; nullopt: none, or its status is of an earlier generation.
std::optional<kube::Condition> ConditionOfAgent(const Json& agent, const char* type) {
  const Json* conditions = base::At(agent, {"status", "conditions"});
  const Json* seen = base::At(agent, {"status", "observedGeneration"});
  if (!conditions || !seen || *seen != kube::GenerationOf(agent)) return std::nullopt;
  return kube::FindCondition(*conditions, type);
}

std::optional<Obstacle> ObstacleOfAgent(const RunDraft& draft) {
  const std::string name = "Agent " + draft.run.name_space + "/" + draft.run.agent;
  const std::optional<Json>& agent = draft.observed.agent;
  if (!agent || kube::IsBeingDeleted(*agent))
    return Obstacle{"AgentNotFound", name + " is not there: create it, with mode: task", false};
  if (base::StringAt(*agent, {"spec", "mode"}, "daemon") != "task")
    return Obstacle{
        "AgentNotTask",
        name + " has mode daemon and runs permanently; an AgentRun needs an Agent of mode task",
        true};
  const auto ready = ConditionOfAgent(*agent, "Ready");
  if (!ready) return Obstacle{"Progressing", name + " is being reconciled", false};
  if (ready->status == kube::Truth::kTrue) return std::nullopt;
  const auto resolved = ConditionOfAgent(*agent, "MemoryResolved"),
             stalled = ConditionOfAgent(*agent, "Stalled");
  const bool memory = resolved && resolved->status == kube::Truth::kFalse;
  return Obstacle{memory ? "MemoryNotResolved" : "AgentNotReady",
                  name + " is not ready: " + (memory ? resolved->message : ready->message),
                  stalled && stalled->status == kube::Truth::kTrue};
}

// A claim that the run did not create is adopted only where the run allows it.
std::optional<Obstacle> ObstacleOfClaim(const RunDraft& draft) {
  if (!draft.run.storage || draft.run.storage->adopt) return std::nullopt;
  const std::string name = RunClaimName(draft.run.name);
  const Json* claim = Find(draft, kube::PersistentVolumeClaims(), name);
  if (!claim || kube::AnnotationOf(*claim, kRetainedFrom) == draft.run.uid) return std::nullopt;
  return Obstacle{
      "VolumeNotAdopted",
      "claim " + name + " is left from an earlier AgentRun of this name. To adopt it: " +
          "create this AgentRun again with storage.adopt: true. To delete it with all " +
          "that it holds: kubectl delete pvc -n " + draft.run.name_space + " " + name,
      true};
}

std::optional<Obstacle> ObstacleOfNames(const RunDraft& draft) {
  for (const auto& [key, object] : draft.observed.children) {
    if (key.kind == kube::PersistentVolumeClaims().kind || IsOurs(object, draft.run)) continue;
    const kube::Owner owner = kube::ControllerOf(object);
    if (owner.kind == "AgentRun" && owner.name == draft.run.name)
      return Obstacle{
          "Progressing",
          key.kind + " " + key.name + " of an earlier AgentRun of this name is on its way out",
          false};
    return Obstacle{"NameTaken",
                    key.kind + " " + key.name +
                        " was not made by this AgentRun and is left alone: " +
                        "delete it, or create the AgentRun under another name",
                    true};
  }
  return std::nullopt;
}

// ---- objects ----

base::Result<Blueprint> BlueprintOf(const RunDraft& draft) {
  Blueprint blueprint;
  const Json& object = *draft.observed.agent;
  ASSIGN_OR_RETURN(blueprint.agent, api::DecodeAgent(object));
  if (NamesNoImage(blueprint.agent)) blueprint.agent.image = draft.settings.agent_image;
  if (!draft.run.uid.empty()) blueprint.owner = kube::ControllerReference(draft.observed.run);
  blueprint.audience = "agent-memory." + base::StringAt(object, {"status", "memory", "namespace"}) +
                       "." + base::StringAt(object, {"status", "memory", "service"});
  blueprint.sidecar_image = blueprint.agent.sidecar_image.empty() ? draft.settings.sidecar_image
                                                                  : blueprint.agent.sidecar_image;
  blueprint.otlp_endpoint = draft.settings.otlp_endpoint;
  return blueprint;
}

void Add(RunDraft& draft, const kube::Resource& kind, std::optional<Json> object,
         const Blueprint& blueprint) {
  if (!object || Find(draft, kind, kube::KeyOf(*object).name)) return;
  draft.plan.apply.push_back({kind, WithOwnerAndLabels(*std::move(object), kind, blueprint)});
}

// The Job comes last, since its pod needs the other objects.
base::Status MakeObjects(RunDraft& draft) {
  ASSIGN_OR_RETURN(const Blueprint blueprint, BlueprintOf(draft));
  Blueprint of_claim = blueprint;
  if (draft.run.storage && draft.run.storage->retain) of_claim.owner = nullptr;  // outlives the run
  Add(draft, kube::PersistentVolumeClaims(), RunClaimOf(draft.run), of_claim);
  Add(draft, kube::ConfigMaps(), PromptConfigMapOf(draft.run), blueprint);
  Add(draft, kube::Jobs(), JobOf(blueprint, draft.run), blueprint);
  const Json* claim =
      draft.run.storage ? Find(draft, kube::PersistentVolumeClaims(), RunClaimName(draft.run.name))
                        : nullptr;
  if (claim && kube::AnnotationOf(*claim, kRetainedFrom) != draft.run.uid)
    draft.plan.patch.push_back(
        {kube::PersistentVolumeClaims(),
         kube::KeyOf(*claim),
         {{"metadata",
           {{"uid", kube::UidOf(*claim)}, {"annotations", {{kRetainedFrom, draft.run.uid}}}}}}});
  return {};
}

// Caches may lag, and another operator may have written: a Job must not be made twice.
Plan LookFirst(const RunDraft& draft) {
  Plan plan;
  plan.not_in_cache = {{kube::Jobs().kind, JobName(draft.run.name)}};
  if (RunClaimOf(draft.run))
    plan.not_in_cache.push_back(
        {kube::PersistentVolumeClaims().kind, RunClaimName(draft.run.name)});
  if (PromptConfigMapOf(draft.run))
    plan.not_in_cache.push_back({kube::ConfigMaps().kind, PromptConfigMapName(draft.run.name)});
  return plan;
}

Plan WithoutJob(RunDraft& draft) {
  RunState state;
  if (HasEnded(draft.observed.run)) return {};
  if (!draft.observed.children_read) {
    state.obstacle = ObstacleOfAgent(draft);
    const bool was_made = !base::StringAt(draft.observed.run, {"status", "job"}).empty();
    return state.obstacle && !was_made ? WithStatus(draft, state) : LookFirst(draft);
  }
  if (!base::StringAt(draft.observed.run, {"status", "job"}).empty()) {
    state.lost = true;
    return WithStatus(draft, state);
  }
  for (auto look : {ObstacleOfNames, ObstacleOfAgent, ObstacleOfClaim})
    if (!state.obstacle) state.obstacle = look(draft);
  if (!state.obstacle && !draft.observed.refused.empty())
    state.obstacle = Obstacle{
        "Refused",
        "the API server refused: " + draft.observed.refused + RemedyFor(draft.observed.refused),
        true};
  if (state.obstacle) return WithStatus(draft, state);
  if (base::Status made = MakeObjects(draft); !made)
    state.obstacle = Obstacle{"AgentNotReady", made.error().message, true};
  return WithStatus(draft, state);
}

// The pod of the Job; of several the newest.
const Json* PodOf(const RunDraft& draft, const Json& job) {
  const Json* newest = nullptr;
  auto created = [](const Json& pod) {
    return base::StringAt(pod, {"metadata", "creationTimestamp"});
  };
  for (const Json& pod : draft.observed.pods)
    if (kube::ControllerOf(pod).uid == kube::UidOf(job) &&
        (!newest || created(*newest) <= created(pod)))
      newest = &pod;
  return newest;
}

// A Job's pods end: only the newest may be missing or fail to start.
void LookForCauses(RunDraft& draft, const Json& job) {
  const Json *pod = PodOf(draft, job),
             *claim = Find(draft, kube::PersistentVolumeClaims(), RunClaimName(draft.run.name));
  const Suspicion suspicion =
      SuspicionOf(draft.observed.run, &job, pod ? std::vector<Json>{*pod} : std::vector<Json>(),
                  claim ? std::optional<Json>(*claim) : std::nullopt, draft.now_ms);
  draft.plan.suspects = suspicion.suspects;
  draft.plan.requeue_after_ms = suspicion.look_again_ms;
}

}  // namespace

bool HasEnded(const base::Json& run) {
  return !base::StringAt(run, {"status", "completionTime"}).empty();
}

Plan MakeRunPlan(const ObservedRun& observed, const Settings& settings, int64_t now_ms) {
  if (kube::IsBeingDeleted(observed.run)) return {};
  RunDraft draft{observed, settings, now_ms, {}, {}};
  auto run = api::DecodeAgentRun(observed.run);
  if (!run) {
    RunState state;
    state.obstacle = Obstacle{"InvalidAgentRun", run.error().message, true};
    return WithStatus(draft, state);
  }
  draft.run = *std::move(run);
  const Json* job = Find(draft, kube::Jobs(), JobName(draft.run.name));
  if (!job || !IsOurs(*job, draft.run)) return WithoutJob(draft);
  RunState state;
  state.job = job;
  state.pod = PodOf(draft, *job);
  state.causes = observed.causes;
  if (!HasEnded(observed.run)) LookForCauses(draft, *job);
  return WithStatus(draft, state);
}

}  // namespace controller
