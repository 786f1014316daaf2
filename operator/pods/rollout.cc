// A step is due while the annotations of a pod (NoteOrigin) differ from the template's, whatever
// the state of its containers.
#include "operator/pods/rollout.h"

#include "lib/kube/object/apply.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"
#include "operator/pods/state.h"

namespace controller {
namespace {

using base::Json;

// Turns have pauses, for example while a model computes. In a pause of this length no request is
// pending, and most pauses last until the sidecar runs again.
constexpr int64_t kQuietMs = 1'000;
// An agent that is never quiet is updated after this time.
constexpr int64_t kLongestWaitMs = 30'000;
// The retry for a slot: a released slot wakes the next Agent, an expired one none.
constexpr int64_t kPlaceAgainMs = 15'000;

const Json* SidecarOf(const Json& pod_or_template) {
  const Json* spec = base::At(pod_or_template, {"spec"});
  return spec ? FindNamed(*spec, "initContainers", kSidecarContainer) : nullptr;
}

std::string Noted(const Json& object, const char* annotation) {
  return kube::AnnotationOf(object, annotation);
}

constexpr size_t kShortHash = 16;  // hexadecimal digits
std::string ShortHash(const Json& value) { return kube::IntentHash(value).substr(0, kShortHash); }
std::string ImageOf(const std::string& sidecar_hash) { return sidecar_hash.substr(0, kShortHash); }

// The ID of the sidecar's container in the pod's status.
std::string SidecarContainerId(const Json& pod) {
  const Json* status = base::At(pod, {"status"});
  const Json* mine =
      status ? FindNamed(*status, "initContainerStatuses", kSidecarContainer) : nullptr;
  return mine ? base::StringAt(*mine, {"containerID"}) : "";
}

// Whether the status still has the container of the previous image.
bool IsBeingReplaced(const Json& pod) {
  const std::string was = Noted(pod, kSidecarWas);
  return !was.empty() && was == SidecarContainerId(pod);
}

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

Json Operation(const char* what, const std::string& path, const Json& value) {
  return {{"op", what}, {"path", path}, {"value", value}};
}

std::string AnnotationPath(std::string name) {
  return "/metadata/annotations/" + name.replace(name.find('/'), 1, "~1");  // RFC 6901
}

// Whether the pod's spec has the template's resources already.
bool IsResized(const Json& pod, const Json& pod_template) {
  return kube::Contains(SidecarOf(pod)->value("resources", Json::object()),
                        SidecarOf(pod_template)->at("resources"));
}

// The kubelet's words about a resize in progress; empty: none. Patching a pod during a resize
// delays the kubelet by a minute, so the annotation follows afterwards.
std::string ResizeUnderWay(const Json& pod) {
  const Json* conditions = base::At(pod, {"status", "conditions"});
  for (const Json& condition : conditions && conditions->is_array() ? *conditions : Json::array())
    for (const char* type : {"PodResizePending", "PodResizeInProgress"})
      if (base::StringAt(condition, {"type"}) == type &&
          base::StringAt(condition, {"status"}) == "True")
        return type + std::string(" ") + base::StringAt(condition, {"reason"}) + " " +
               base::StringAt(condition, {"message"});
  return "";
}

PodChange ChangeOf(const Json& pod, const Json& pod_template, PodStep step) {
  PodChange change{step, kube::KeyOf(pod).name, kube::UidOf(pod), {}, {}};
  if (step == PodStep::kRestart) return change;
  const Json& containers = pod["spec"]["initContainers"];
  size_t at = 0;
  while (base::StringAt(containers[at], {"name"}) != kSidecarContainer) ++at;
  const std::string place = "/spec/initContainers/" + std::to_string(at);
  const Json fence = {Operation("test", "/metadata/uid", change.uid),
                      Operation("test", place + "/name", kSidecarContainer)};
  const std::string wanted = Noted(pod_template, kSidecarHash), present = Noted(pod, kSidecarHash);
  change.patch = fence;
  if (step == PodStep::kImage) {
    change.patch.push_back(
        Operation("replace", place + "/image", SidecarOf(pod_template)->at("image")));
    change.patch.push_back(Operation("add", AnnotationPath(kSidecarWas), SidecarContainerId(pod)));
    change.patch.push_back(Operation("add", AnnotationPath(kSidecarHash),
                                     ImageOf(wanted) + present.substr(kShortHash)));
    return change;
  }
  if (IsResized(pod, pod_template)) {
    change.patch.push_back(Operation("add", AnnotationPath(kSidecarHash), wanted));
    return change;
  }
  change.subresource = "resize";
  change.patch.push_back(
      Operation("replace", place + "/resources", SidecarOf(pod_template)->at("resources")));
  return change;
}

// A sidecar that does not run cannot be disturbed; one that does not answer may be busy.
bool IsQuiet(const RolloutInput& input, const PodState& pod) {
  if (!pod.sidecar_running || input.slot_held_ms > kLongestWaitMs) return true;
  auto at = input.idle_ms.find(pod.name);
  return at != input.idle_ms.end() && at->second >= kQuietMs;
}

void Decide(const RolloutInput& input, const Json& pod, PodStep step, Rollout& rollout) {
  const PodState state = StateOf(pod);
  rollout.reason = "Progressing";
  rollout.message = "pod " + state.name + " gets " + Words(step);
  const std::string resizing = step == PodStep::kResources ? ResizeUnderWay(pod) : "";
  if (!resizing.empty()) {
    rollout.message += ": " + resizing;
  } else if (!input.settled) {
    rollout.message += " as soon as its workload has the new template";
  } else if (!input.has_rollout_slot) {
    rollout.wants_rollout_slot = true;
    rollout.reason = "UpdatePending";
    rollout.message += " when fewer other Agents are being updated";
    rollout.check_again_ms = kPlaceAgainMs;
  } else if (!IsQuiet(input, state)) {
    rollout.message += " in a quiet moment of its agent, after " +
                       std::to_string(kLongestWaitMs / 1000) + " s at the latest";
    rollout.check_again_ms = kQuietMs;
  } else {
    rollout.changes.push_back(ChangeOf(pod, input.pod_template, step));
  }
}

}  // namespace

void NoteOrigin(base::Json& pod_template) {
  Json rest = pod_template, none = Json::object();
  std::string sidecar;
  for (Json& container : rest["spec"]["initContainers"]) {
    if (base::StringAt(container, {"name"}) != kSidecarContainer) continue;
    sidecar =
        ShortHash(container.value("image", none)) + ShortHash(container.value("resources", none));
    for (const char* field : {"image", "resources"}) container.erase(field);
  }
  Json& annotations = pod_template["metadata"]["annotations"];
  if (!sidecar.empty()) annotations[kSidecarHash] = sidecar;
  annotations[kTemplateHash] = kube::IntentHash(rest);
}

std::string ResizeKey(const std::string& uid) { return "resize " + uid; }

PodStep StepFor(const base::Json& pod, const base::Json& pod_template, bool resizable) {
  const std::string made_from = Noted(pod, kTemplateHash), has = Noted(pod, kSidecarHash),
                    wants = Noted(pod_template, kSidecarHash);
  if (made_from.empty()) return PodStep::kNone;
  if (made_from != Noted(pod_template, kTemplateHash) || has.empty() != wants.empty())
    return PodStep::kRestart;
  if (has == wants) return PodStep::kNone;
  if (!SidecarOf(pod)) return PodStep::kRestart;  // the sidecar was removed
  if (ImageOf(has) != ImageOf(wants)) return PodStep::kImage;
  return resizable ? PodStep::kResources : PodStep::kRestart;
}

Rollout DecideRollout(const RolloutInput& input) {
  Rollout rollout;
  if (input.pods.empty()) {
    rollout.reason = "NoPods";
    rollout.message = "no Pod exists yet";
    return rollout;
  }
  rollout.done = true;
  for (const Json& pod : input.pods) {
    const PodState state = StateOf(pod);
    const PodStep step = state.leaving
                             ? PodStep::kNone
                             : StepFor(pod, input.pod_template,
                                       !input.refused.contains(ResizeKey(kube::UidOf(pod))));
    if (step == PodStep::kNone && state.ready && !IsBeingReplaced(pod)) {
      rollout.known = rollout.known && !Noted(pod, kTemplateHash).empty();
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
        "an earlier version created a Pod without a record of its template: the operator leaves it "
        "as it is; delete the Pod to update it";
  } else {
    rollout.reason = "Current";
    rollout.message = "every pod is made from the template";
  }
  return rollout;
}

}  // namespace controller
