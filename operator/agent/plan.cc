// MakePlan in order: resolve the server, make the policy, check nodes and volume, build and compare
// the children, remove others, update pods, write the status.
#include "operator/agent/plan.h"

#include <algorithm>
#include <set>

#include "lib/base/process/clock.h"
#include "lib/kube/object/apply.h"
#include "operator/agent/desired.h"
#include "operator/agent/policy_faults.h"
#include "operator/agent/shares.h"
#include "operator/agent/status.h"
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"
#include "operator/objects/pod_template.h"
#include "operator/pods/causes.h"
#include "operator/pods/remedy.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kSyncSoonMs = 1'000, kSyncLaterMs = 15'000, kSyncSoonForMs = 120'000;
constexpr int64_t kTouchAgainMs = 5'000, kTouches = 3;

struct Draft {
  const ObservedAgent& observed;
  const Settings& settings;
  api::Agent agent;
  Findings findings;
  Plan plan;
  Json pod_template;  // of the desired workload; null: none
  std::string workload_intent;
  NodeSkew own_skew, others_skew;  // of nodes for its own pods, and for foreign pods
  Suspicion suspicion;             // if a pod is missing, or does not start
};

bool IsOwnedBy(const Json& object, const api::Agent& agent) {
  if (AgentOfBinding(object) == kube::ObjectKey{agent.name_space, agent.name}) return true;
  return !agent.uid.empty() && kube::ControllerOf(object).uid == agent.uid;
}

const Json* Workload(const Draft& draft) {
  auto found = draft.observed.children.find({"StatefulSet", WorkloadName(draft.agent.name)});
  if (found == draft.observed.children.end() || !IsOwnedBy(found->second, draft.agent))
    return nullptr;
  return &found->second;
}

// ---- policy ----

void MakePolicy(Draft& draft) {
  if (!draft.agent.memory) return;
  const Resolution& resolution = draft.findings.resolution;
  auto policy = api::PolicyOf(draft.agent, resolution.url, resolution.audience);
  if (!policy) {  // impossible after validation by the schema, else a person must know
    draft.findings.refused = policy.error().message;
    return;
  }
  draft.findings.unknown_tools = UnknownTools(*policy, draft.agent.spec);
  draft.findings.rule_faults = RemoveInvalidRules(*policy);
  draft.plan.policy_file =
      api::EncodePolicy(*policy).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  draft.findings.policy_digest = api::PolicyDigest(draft.plan.policy_file);
}

// ---- volume ----

void MarkClaim(Draft& draft) {
  // The claim belongs to the StatefulSet of this name, which may be another owner's (MemoryServer).
  const ChildKey workload{kube::StatefulSets().kind, WorkloadName(draft.agent.name)};
  if (!Workload(draft) && draft.observed.children.contains(workload)) return;
  draft.findings.claim = ClassifyClaim(draft.observed.claim, draft.observed.agent,
                                       Workload(draft) != nullptr, draft.agent.storage.adopt);
  if (!draft.findings.claim.mark) return;
  const Json& claim = *draft.observed.claim;
  draft.plan.patch.push_back(
      {kube::PersistentVolumeClaims(), kube::KeyOf(claim), ClaimMark(claim, draft.observed.agent)});
}

// ---- children ----

// The audience of the token in the observed workload; empty: no workload, or no token.
std::string PresentAudience(const Draft& draft) {
  const Json* workload = Workload(draft);
  const Json* spec = workload ? base::At(*workload, {"spec", "template", "spec"}) : nullptr;
  const Json* volume = spec ? FindNamed(*spec, "volumes", kTokenVolume) : nullptr;
  const Json* sources = volume ? base::At(*volume, {"projected", "sources"}) : nullptr;
  if (!sources || !sources->is_array() || sources->empty()) return "";
  return base::StringAt(sources->front(), {"serviceAccountToken", "audience"});
}

// An older sidecar has no `await`, and its agent would never start: a user's own choice of image
// keeps the probe.
bool KnowsAwait(const Draft& draft) {
  return draft.findings.sidecar_image == draft.settings.sidecar_image;
}

Blueprint MakeBlueprint(const Draft& draft) {
  Blueprint blueprint;
  blueprint.agent = draft.agent;
  if (!draft.agent.uid.empty()) blueprint.owner = kube::ControllerReference(draft.observed.agent);
  blueprint.policy_file = draft.plan.policy_file;
  // The audience is part of the pod: while the server is unresolved, it comes from serverRef.
  const kube::ObjectKey reference = ServerReference(draft.observed.agent);
  const Resolution& resolution = draft.findings.resolution;
  blueprint.audience = resolution.resolved
                           ? "agent-memory." + resolution.name_space + "." + resolution.service
                           : "agent-memory." + reference.name_space + "." + reference.name;
  // A Service that is missing for a while must not restart its clients.
  if (const std::string present = PresentAudience(draft); !resolution.resolved && !present.empty())
    blueprint.audience = present;
  blueprint.sidecar_image = draft.findings.sidecar_image;
  blueprint.reading_accounts = draft.findings.shares.reading_accounts;
  blueprint.writing_accounts = draft.findings.shares.writing_accounts;
  blueprint.otlp_endpoint = draft.settings.otlp_endpoint;
  if (WantsForeignPods(draft.agent))
    blueprint.injection_policy = draft.settings.foreign_pods.policy;
  blueprint.avoids_startup_probe = !draft.own_skew.forgetting.empty() && KnowsAwait(draft);
  if (draft.findings.storage_differs) blueprint.workload = Workload(draft);
  return blueprint;
}

// ---- nodes ----

void FindNodeSkew(Draft& draft) {
  if (!draft.agent.memory) return;
  const Json& spec = draft.agent.spec;
  const Json *in_template = base::At(spec, {"template", "spec"}), none = Json::object();
  draft.own_skew = SkewOf(draft.observed.nodes, in_template ? in_template : &none);
  // Pods of runs restart no container, so this fault does not affect them.
  if (draft.agent.mode == "task") draft.own_skew.forgetting.clear();
  if (WantsForeignPods(draft.agent)) draft.others_skew = SkewOf(draft.observed.nodes, nullptr);
  NodeSkew any = draft.own_skew;
  for (auto list : {&NodeSkew::without_sidecars, &NodeSkew::forgetting})
    if ((draft.others_skew.*list).size() > (any.*list).size()) any.*list = draft.others_skew.*list;
  if (!any.without_sidecars.empty() || !any.forgetting.empty())
    draft.findings.node_skew = NodeSkewCondition(any);
}

Json PartsForOthers(const Draft& draft) {
  Blueprint blueprint = MakeBlueprint(draft);
  blueprint.avoids_startup_probe = !draft.others_skew.forgetting.empty() && KnowsAwait(draft);
  return ForeignPartsOf(blueprint);
}

bool IsWithheld(const Draft& draft, const Child& child) {
  if (child.resource.kind != "StatefulSet") return false;
  return draft.findings.claim.state == ClaimState::kLeftover ||
         !draft.findings.template_fault.empty();
}

void NoteRefusal(Draft& draft, const Child& child, const std::string& words) {
  if (child.resource.kind == "StatefulSet")
    draft.findings.template_fault = "the API server refused the pod: " + words + RemedyFor(words);
  else
    draft.findings.refused = child.resource.kind + " " + kube::KeyOf(child.object).name + ": " +
                             words + RemedyFor(words);
}

// Plans one desired child: no change, an apply, or a finding that prevents it.
void Compare(Draft& draft, Child child) {
  if (IsWithheld(draft, child)) return;
  child.object = kube::WithIntent(std::move(child.object), kIntentAnnotation);
  if (child.resource == kube::StatefulSets())
    draft.workload_intent = kube::AnnotationOf(child.object, kIntentAnnotation);
  const std::string name = kube::KeyOf(child.object).name;
  auto refused = draft.observed.refused.find(kube::AnnotationOf(child.object, kIntentAnnotation));
  if (refused != draft.observed.refused.end()) return NoteRefusal(draft, child, refused->second);
  auto found = draft.observed.children.find({child.resource.kind, name});
  if (found == draft.observed.children.end()) {
    draft.plan.not_in_cache.push_back({child.resource.kind, name});
  } else {
    if (!IsOwnedBy(found->second, draft.agent)) {
      draft.findings.taken_names.push_back(child.resource.kind + " " + name);
      return;
    }
    if (kube::IsUpToDate(found->second, child.object, kIntentAnnotation)) return;
    child.object["metadata"]["uid"] = kube::UidOf(found->second);
  }
  draft.plan.apply.push_back(std::move(child));
}

void CompareChildren(Draft& draft) {
  draft.findings.image_missing = NamesNoImage(draft.agent);
  draft.findings.template_fault =
      draft.findings.image_missing
          ? "spec.image and spec.template are not set, and the operator has no --agent-image: set "
            "spec.image, or give the operator the runtime image of such Agents by --agent-image"
          : TemplateFault(draft.agent);
  const bool usable = draft.findings.template_fault.empty();
  std::set<ChildKey> wanted;
  if (usable) {
    for (Child& child : Desired(MakeBlueprint(draft))) {
      wanted.insert({child.resource.kind, kube::KeyOf(child.object).name});
      if (child.resource == kube::StatefulSets() && !IsWithheld(draft, child))
        draft.pod_template = child.object["spec"]["template"];
      Compare(draft, std::move(child));
    }
  }
  if (!usable) return;  // running objects stay until a person corrects the template
  for (const auto& [key, object] : draft.observed.children) {
    if (wanted.contains(key) || !IsOwnedBy(object, draft.agent) || kube::IsBeingDeleted(object))
      continue;
    for (const kube::Resource& resource : ChildResources())
      if (resource.kind == key.kind)
        draft.plan.remove.push_back({resource, kube::KeyOf(object), kube::UidOf(object)});
  }
}

// ---- pods ----

// The kubelet syncs a changed ConfigMap into a pod within about a minute, or at once if the pod
// changes. Touches only pods whose sidecar reports another policy: once, and at most kTouches times
// more, in case the kubelet synced before it had the new ConfigMap.
void TouchPods(Draft& draft, int64_t now_ms) {
  const std::string& digest = draft.findings.policy_digest;
  if (!draft.agent.memory || digest.empty()) return;
  const int64_t since_ms = kube::FalseSinceMs(draft.observed.agent, "PolicyInSync"),
                again = since_ms ? std::min((now_ms - since_ms) / kTouchAgainMs, kTouches) : 0;
  const std::string value = again == 0 ? digest : digest + "#" + std::to_string(again);
  for (const Json& pod : draft.observed.pods) {
    const kube::ObjectKey key = kube::KeyOf(pod);
    auto in_force = draft.observed.digests.find(key.name);
    if (in_force == draft.observed.digests.end() || in_force->second == digest) continue;
    if (kube::AnnotationOf(pod, kPolicyTouch) == value || kube::IsBeingDeleted(pod)) continue;
    const Json metadata = {{"uid", kube::UidOf(pod)}, {"annotations", {{kPolicyTouch, value}}}};
    draft.plan.patch.push_back({kube::Pods(), key, {{"metadata", metadata}}});
  }
}

// Whether the StatefulSet controller would create a pod from the desired template.
bool IsSettled(const Draft& draft) {
  const Json* workload = Workload(draft);
  if (!workload) return false;
  if (kube::AnnotationOf(*workload, kIntentAnnotation) != draft.workload_intent) return false;
  const Json* seen = base::At(*workload, {"status", "observedGeneration"});
  return seen && seen->is_number_integer() && seen->get<int64_t>() >= kube::GenerationOf(*workload);
}

void UpdatePods(Draft& draft, int64_t now_ms) {
  draft.plan.rolled_out = true;
  const ObservedAgent& observed = draft.observed;
  // Excludes other pods with the label, for example a user's copy for debugging.
  std::vector<Json> pods;
  const Json* workload = Workload(draft);
  for (const Json& pod : observed.pods)
    if (workload && kube::ControllerOf(pod).uid == kube::UidOf(*workload)) pods.push_back(pod);
  draft.findings.own_pods = pods.size();
  if (draft.agent.has_storage && draft.agent.replicas > 0)
    draft.suspicion = SuspicionOf(observed.agent, workload, observed.pods, observed.claim, now_ms);
  draft.findings.settled = IsSettled(draft);
  // A refused template is in no workload: restarts would create the same pod, again and again.
  if (draft.pod_template.is_null() || !draft.findings.template_fault.empty()) return;
  if (draft.agent.replicas == 0) {  // needs no rollout slot, and releases one
    draft.findings.rollout.emplace();
    draft.findings.rollout->reason = "ScaledToZero";
    draft.findings.rollout->message = "spec.replicas is 0: the next pod is made from the template";
    return;
  }
  Rollout rollout =
      DecideRollout({pods, draft.pod_template, draft.findings.settled, observed.idle_ms,
                     observed.refused, observed.has_rollout_slot, observed.slot_held_ms});
  for (PodChange& change : rollout.changes) {
    const kube::ObjectKey key{draft.agent.name_space, change.pod};
    if (change.step == PodStep::kRestart) {
      draft.plan.remove.push_back({kube::Pods(), key, change.uid});
      continue;
    }
    draft.plan.patch.push_back({kube::Pods(), key, std::move(change.patch), change.subresource,
                                change.subresource.empty() ? "" : ResizeKey(change.uid)});
  }
  draft.plan.wants_rollout_slot = rollout.wants_rollout_slot;
  draft.plan.rolled_out = rollout.done;
  draft.findings.rollout = std::move(rollout);
}

// Polls while a pod has another policy, since no watch reports the sidecar's reload. A pod that
// starts changes its own status, which is watched.
int64_t CheckAgainMs(const Draft& draft, const Json& status, int64_t now_ms) {
  if (draft.findings.rollout && draft.findings.rollout->check_again_ms > 0)
    return draft.findings.rollout->check_again_ms;
  for (const Json& condition : status["conditions"]) {
    if (condition["type"] != "PolicyInSync" || condition["status"] == "True" ||
        condition["reason"] == "NoPods" || condition["reason"] == "SidecarNotRunning")
      continue;
    auto since = base::ParseTime(base::StringAt(condition, {"lastTransitionTime"}));
    return since && now_ms - *since < kSyncSoonForMs ? kSyncSoonMs : kSyncLaterMs;
  }
  return draft.suspicion.look_again_ms;
}

std::string TemplateImage(const Draft& draft) {
  const Json* workload = Workload(draft);
  for (const Child& child : draft.plan.apply)
    if (child.resource.kind == "StatefulSet") workload = &child.object;
  const Json* spec = workload ? base::At(*workload, {"spec", "template", "spec"}) : nullptr;
  const Json* sidecar = spec ? FindNamed(*spec, "initContainers", kSidecarContainer) : nullptr;
  return sidecar ? base::StringAt(*sidecar, {"image"}) : "";
}

void SetStatus(Draft& draft, Json status, int64_t now_ms) {
  const Json* stored = base::At(draft.observed.agent, {"status"});
  if (stored && *stored == status) return;
  draft.plan.events = NoticesOf(stored ? *stored : Json(), status);
  draft.plan.requeue_after_ms = CheckAgainMs(draft, status, now_ms);
  draft.plan.status = std::move(status);
}

Plan OnlyStatus(Draft& draft, Json status, int64_t now_ms) {
  SetStatus(draft, std::move(status), now_ms);
  return std::move(draft.plan);
}

}  // namespace

Plan MakePlan(const ObservedAgent& observed, const Settings& settings, int64_t now_ms) {
  Draft draft{observed, settings, {}, {}, {}, {}, {}, {}, {}, {}};
  if (kube::IsBeingDeleted(observed.agent)) return {};
  auto agent = api::DecodeAgent(observed.agent);
  if (!agent)
    return OnlyStatus(
        draft, BrokenStatus(observed.agent, "InvalidAgent", agent.error().message, now_ms), now_ms);
  draft.agent = *std::move(agent);
  if (NamesNoImage(draft.agent)) draft.agent.image = settings.agent_image;
  draft.findings.sidecar_image =
      draft.agent.sidecar_image.empty() ? settings.sidecar_image : draft.agent.sidecar_image;
  draft.findings.resolution = Resolve(observed, settings.cluster_domain, settings.memory_url);
  draft.findings.foreign_pods = settings.foreign_pods;
  draft.findings.shares = SharesOf(draft.agent, observed);
  MakePolicy(draft);
  FindNodeSkew(draft);
  if (draft.agent.has_storage) {  // a task's runs have volumes of their own
    MarkClaim(draft);
    draft.findings.storage_differs = StorageDiffers(Workload(draft), draft.agent.storage);
  }
  if (WantsForeignPods(draft.agent) && settings.foreign_pods.Served())
    draft.findings.foreign_parts = PartsForOthers(draft);
  CompareChildren(draft);
  TouchPods(draft, now_ms);
  UpdatePods(draft, now_ms);
  draft.findings.template_image = TemplateImage(draft);
  draft.plan.suspects = draft.suspicion.suspects;
  Json status = StatusOf(draft.agent, observed, draft.findings, now_ms);
  draft.plan.requeue_after_ms = CheckAgainMs(draft, status, now_ms);
  SetStatus(draft, std::move(status), now_ms);
  return std::move(draft.plan);
}

}  // namespace controller
