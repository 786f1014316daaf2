// Updates running pods to the template of their workload: decides which step suffices, and whether
// to take it now. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/json/json.h"

namespace controller {

// Annotates a pod template with hashes: of all parts that need a new pod (kTemplateHash), and of
// the sidecar's image and resources (kSidecarHash). Pods inherit the annotations, so that a
// comparison ignores defaults and mutations by the API server and its admission.
void NoteOrigin(base::Json& pod_template);

// In rising cost for the agent: the first three do not restart its process.
enum class PodStep {
  kNone,
  kImage,      // restarts only the sidecar's container, on the same state
  kResources,  // pods/resize, without a restart
  kRestart,    // deletes the pod, and its workload creates another
};

// The step that updates `pod` to `pod_template`. `resizable` false: new resources need a restart.
PodStep StepFor(const base::Json& pod, const base::Json& pod_template, bool resizable);

struct PodChange {
  PodStep step = PodStep::kNone;
  std::string pod, uid;
  base::Json patch;         // JSON patch, fenced by the uid; null for kRestart
  std::string subresource;  // of the patch; empty: the pod itself
};

struct RolloutInput {
  const std::vector<base::Json>& pods;  // of the workload
  const base::Json& pod_template;
  bool settled;  // the workload has this template, and its controller has seen it
  const std::map<std::string, int64_t>& idle_ms;      // pod → ms since its agent's last request
  const std::map<std::string, std::string>& refused;  // by ResizeKey, or by intent hash
  bool has_rollout_slot;                              // of RolloutBudget
  int64_t slot_held_ms;                               // age of the slot
};

struct Rollout {
  std::vector<PodChange> changes;   // to execute now
  bool wants_rollout_slot = false;  // a slot would allow changes
  bool done = false;                // every pod is up to date and ready
  int64_t check_again_ms = 0;   // delay of the next check: no watch reports a quiet agent; 0: none
  bool known = true;            // false: a pod lacks the annotations of NoteOrigin
  std::string reason, message;  // of the condition UpToDate
};

// Changes at most one pod per call.
Rollout DecideRollout(const RolloutInput& input);

// The key of a refused resize of a pod in RolloutInput::refused.
std::string ResizeKey(const std::string& uid);

}  // namespace controller
