// A pod is compared with what it was made from, by the hash that it carries, and not with what the
// API server and its admission made of that.
#include "operator/rollout.h"

#include "lib/kube/apply.h"
#include "operator/names.h"
#include "operator/pod_injection.h"
#include "operator/pod_state.h"

namespace controller {
namespace {

using base::Json;

// A turn has pauses, while a model thinks say. In one of this length no answer is waited for, and
// the sidecar is back before most of them end.
constexpr int64_t kQuietMs = 1'000;
// An agent that is never quiet gets its update nevertheless.
constexpr int64_t kLongestWaitMs = 30'000;
// A place that is given back is told; one that was not is free after a while.
constexpr int64_t kPlaceAgainMs = 15'000;

const Json* SidecarOf(const Json& pod_or_template) {
  const Json* spec = base::At(pod_or_template, {"spec"});
  return spec ? FindNamed(*spec, "initContainers", kSidecarContainer) : nullptr;
}

std::string HashOf(const Json& object) { return kube::AnnotationOf(object, kTemplateHash); }

const char* Words(PodStep step) {
  switch (step) {
    case PodStep::kImage:
      return "the sidecar's new image, in place";
    case PodStep::kResources:
      return "the sidecar's new resources, in place";
    case PodStep::kRestart:
      return "a restart, since its template changed";
    case PodStep::kNone:
      break;
  }
  return "nothing";
}

PodChange ChangeOf(const Json& pod, const Json& pod_template, PodStep step) {
  PodChange change{step, kube::KeyOf(pod).name, kube::UidOf(pod), {}, {}};
  if (step == PodStep::kRestart) return change;
  const Json& containers = pod["spec"]["initContainers"];
  size_t at = 0;
  while (base::StringAt(containers[at], {"name"}) != kSidecarContainer) ++at;
  const std::string place = "/spec/initContainers/" + std::to_string(at);
  const char* field = step == PodStep::kImage ? "image" : "resources";
  if (step == PodStep::kResources) change.subresource = "resize";
  change.patch = {{{"op", "test"}, {"path", "/metadata/uid"}, {"value", change.uid}},
                  {{"op", "test"}, {"path", place + "/name"}, {"value", kSidecarContainer}},
                  {{"op", "replace"},
                   {"path", place + "/" + field},
                   {"value", SidecarOf(pod_template)->at(field)}}};
  return change;
}

bool IsQuiet(const RolloutInput& input, const std::string& pod) {
  auto at = input.quiet_ms.find(pod);  // who does not answer has nothing to lose
  return at == input.quiet_ms.end() || at->second >= kQuietMs || input.waited_ms > kLongestWaitMs;
}

void Decide(const RolloutInput& input, const Json& pod, PodStep step, Rollout& rollout) {
  const std::string name = kube::KeyOf(pod).name;
  rollout.reason = "Progressing";
  rollout.message = "pod " + name + " gets " + Words(step);
  if (step == PodStep::kRestart && !input.settled) {
    rollout.message += " as soon as its workload has the new template";
  } else if (!IsQuiet(input, name)) {
    rollout.message += " in a quiet moment of its agent, after " +
                       std::to_string(kLongestWaitMs / 1000) + " s at the latest";
    rollout.ask_again_ms = kQuietMs;
  } else if (!input.has_place) {
    rollout.wants_place = true;
    rollout.reason = "UpdatePending";
    rollout.message += " when fewer other Agents are being updated";
    rollout.ask_again_ms = kPlaceAgainMs;
  } else {
    rollout.changes.push_back(ChangeOf(pod, input.pod_template, step));
  }
}

}  // namespace

std::string TemplateHash(base::Json pod_template) {
  for (Json& container : pod_template["spec"]["initContainers"])
    if (base::StringAt(container, {"name"}) == kSidecarContainer)
      for (const char* field : {"image", "resources"}) container.erase(field);
  if (Json* annotations = &pod_template["metadata"]["annotations"]; annotations->is_object())
    annotations->erase(kTemplateHash);
  return kube::IntentHash(pod_template);
}

std::string ResizeKey(const std::string& uid) { return "resize " + uid; }

PodStep StepFor(const base::Json& pod, const base::Json& pod_template, bool resizable) {
  const std::string made_from = HashOf(pod);
  if (!made_from.empty() && made_from != HashOf(pod_template)) return PodStep::kRestart;
  const Json *has = SidecarOf(pod), *wants = SidecarOf(pod_template);
  if (!has || !wants) return PodStep::kNone;
  if (base::StringAt(*has, {"image"}) != base::StringAt(*wants, {"image"})) return PodStep::kImage;
  const Json none = Json::object();
  const Json& resources = has->contains("resources") ? has->at("resources") : none;
  if (kube::Contains(resources, wants->value("resources", none))) return PodStep::kNone;
  return resizable ? PodStep::kResources : PodStep::kRestart;
}

Rollout DecideRollout(const RolloutInput& input) {
  Rollout rollout;
  if (input.pods.empty()) {
    rollout.reason = "NoPods";
    rollout.message = "there is no pod yet";
    return rollout;
  }
  rollout.done = true;
  for (const Json& pod : input.pods) {
    const PodState state = StateOf(pod);
    const PodStep step = state.leaving
                             ? PodStep::kNone
                             : StepFor(pod, input.pod_template,
                                       !input.refused.contains(ResizeKey(kube::UidOf(pod))));
    if (step == PodStep::kNone && state.ready) {
      rollout.known = rollout.known && !HashOf(pod).empty();
      continue;
    }
    rollout.done = false;
    if (step != PodStep::kNone) {
      Decide(input, pod, step, rollout);
      return rollout;
    }
    if (rollout.message.empty()) rollout.message = "pod " + state.name + " is not ready yet";
  }
  if (!rollout.done) {
    rollout.reason = "Progressing";
  } else if (!rollout.known) {
    rollout.reason = "MadeEarlier";
    rollout.message =
        "a pod was made by an earlier version and does not tell from what; only its sidecar is "
        "kept up to date until somebody deletes it";
  } else {
    rollout.reason = "Current";
    rollout.message = "every pod is made from the template";
  }
  return rollout;
}

}  // namespace controller
