// How a running pod gets what its workload's template asks for: which step suffices, and whether
// now is the time for it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/json/json.h"

namespace controller {

// Notes on a pod template what pods are made from, in two annotations: the hash of all that a
// running pod cannot take over (kTemplateHash), and that of the sidecar's image and of its
// resources (kSidecarHash). Each pod carries them, so it is compared with what it was asked to be,
// and not with what the API server and its admission made of that.
void NoteOrigin(base::Json& pod_template);

// In rising cost to the agent: the first three leave its process alone.
enum class PodStep {
  kNone,
  kImage,      // the sidecar's container alone is started again, on the same state
  kResources,  // pods/resize; nothing is started again
  kRestart,    // the pod is deleted and its workload makes another
};

// What `pod` lacks of `pod_template`. `resizable` false: resources come by a restart alone.
PodStep StepFor(const base::Json& pod, const base::Json& pod_template, bool resizable);

struct PodChange {
  PodStep step = PodStep::kNone;
  std::string pod, uid;
  base::Json patch;         // JSON patch, fenced by the uid; null for kRestart
  std::string subresource;  // that the patch goes to
};

struct RolloutInput {
  const std::vector<base::Json>& pods;  // of the workload
  const base::Json& pod_template;
  bool settled;  // the workload has this template, and its controller has seen it
  const std::map<std::string, int64_t>& idle_ms;  // pod → since its agent asked something last
  const std::map<std::string, std::string>& refused;  // by ResizeKey among others
  bool has_rollout_slot;  // few enough Agents are being updated at this moment
  int64_t slot_held_ms;   // for so long
};

struct Rollout {
  std::vector<PodChange> changes;   // now
  bool wants_rollout_slot = false;  // there would be changes if there were a slot
  bool done = false;                // every pod is up to date and ready
  int64_t ask_again_ms = 0;         // nobody tells when an agent gets quiet; 0: somebody does
  bool known = true;                // false: a pod does not tell what it was made from
  std::string reason, message;      // of the condition UpToDate
};

// One pod after the other: the next is touched when the one before is ready again.
Rollout DecideRollout(const RolloutInput& input);

// How a refused resize of a pod is remembered.
std::string ResizeKey(const std::string& uid);

}  // namespace controller
