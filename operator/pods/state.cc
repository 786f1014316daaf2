// Init containers come first: while one of them is stuck the others only report PodInitializing.
#include "operator/pods/state.h"

#include "lib/kube/object/object.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"
#include "operator/pods/remedy.h"

namespace controller {
namespace {

using base::Json;

constexpr const char* kProgressing = "Progressing";

const Json* ConditionOf(const Json& pod, const std::string& type) {
  const Json* conditions = base::At(pod, {"status", "conditions"});
  if (!conditions || !conditions->is_array()) return nullptr;
  for (const Json& condition : *conditions)
    if (base::StringAt(condition, {"type"}) == type) return &condition;
  return nullptr;
}

// Sets reason and message if this container has a fault; false: it has none.
bool Trouble(const Json& status, PodState& state) {
  const std::string name = base::StringAt(status, {"name"});
  std::string reason = base::StringAt(status, {"state", "waiting", "reason"});
  std::string detail = base::StringAt(status, {"state", "waiting", "message"});
  if (reason == "PodInitializing" || reason == "ContainerCreating") return false;
  if (reason.empty() && base::At(status, {"state", "terminated"})) {
    const Json* code = base::At(status, {"state", "terminated", "exitCode"});
    // A sidecar that exited in a running pod is not done: the kubelet keeps this status while it
    // cannot pull the image of the next container.
    const bool done = name != kSidecarContainer || state.phase != "Running";
    if (code && *code == 0 && done) return false;
    reason = base::StringAt(status, {"state", "terminated", "reason"}, "Error");
    // Omits the message: it is the end of the container's log, which may contain anything.
    if (code) detail = "exit code " + base::DumpJson(*code);
    if (code && *code == 0) {
      reason = kProgressing;
      detail = "it ended and is to be started again";
    }
  }
  if (reason.empty()) return false;
  const std::string image =
      name == kSidecarContainer ? state.sidecar_image : base::StringAt(status, {"image"});
  state.reason = reason;
  state.message = "container " + name + " of pod " + state.name +
                  (image.empty() ? "" : " (" + image + ")") + ": " + reason +
                  (detail.empty() ? "" : ": " + detail) + RemedyFor(detail);
  return true;
}

void FindBlocker(const Json& pod, PodState& state) {
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    const Json* statuses = base::At(pod, {"status", list});
    if (!statuses || !statuses->is_array()) continue;
    for (const Json& status : *statuses)
      if (Trouble(status, state)) return;
  }
  const Json* scheduled = ConditionOf(pod, "PodScheduled");
  if (scheduled && base::StringAt(*scheduled, {"status"}) == "False") {
    state.reason = base::StringAt(*scheduled, {"reason"}, "Unschedulable");
    const std::string words = base::StringAt(*scheduled, {"message"});
    state.message = "pod " + state.name + ": " + words + RemedyFor(words);
    return;
  }
  const std::string& phase = state.phase;
  const bool lost = phase == "Failed" || phase == "Unknown";
  state.reason = lost ? "PodLost" : kProgressing;
  state.message = "pod " + state.name + " is " + phase;
}

bool SidecarRuns(const Json& pod) {
  const Json* status = base::At(pod, {"status"});
  const Json* mine =
      status ? FindNamed(*status, "initContainerStatuses", kSidecarContainer) : nullptr;
  return mine && base::At(*mine, {"state", "running"});
}

}  // namespace

PodState StateOf(const base::Json& pod) {
  PodState state;
  state.name = kube::KeyOf(pod).name;
  state.leaving = kube::IsBeingDeleted(pod);
  state.phase = base::StringAt(pod, {"status", "phase"}, "Pending");
  if (const Json* spec = base::At(pod, {"spec"}))
    if (const Json* sidecar = FindNamed(*spec, "initContainers", kSidecarContainer)) {
      state.has_sidecar = true;
      state.sidecar_image = base::StringAt(*sidecar, {"image"});
    }
  state.sidecar_running = state.has_sidecar && !state.leaving && SidecarRuns(pod);
  const Json* ready = ConditionOf(pod, "Ready");
  state.ready = !state.leaving && ready && base::StringAt(*ready, {"status"}) == "True";
  if (state.leaving) {
    state.reason = kProgressing;
    state.message = "pod " + state.name + " is being deleted";
  } else if (!state.ready) {
    FindBlocker(pod, state);
  }
  return state;
}

}  // namespace controller
