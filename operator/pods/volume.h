// The volume of a StatefulSet with one pod (of an Agent or a MemoryServer): the owner of its claim,
// and the condition about it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "lib/kube/object/conditions.h"
#include "operator/pods/causes.h"

namespace controller {

// The owner of the claim data-<name>-0.
enum class ClaimState {
  kAbsent,    // does not exist yet
  kOurs,      // of this object
  kLeftover,  // of an earlier object of this name, and storage.adopt is false
};

struct ClaimFinding {
  ClaimState state = ClaimState::kAbsent;
  std::string from;   // UID in the annotation of a leftover; may be empty
  bool mark = false;  // ours, without the annotation yet
};
// `owner`: the Agent or MemoryServer; `has_workload`: its StatefulSet exists.
ClaimFinding ClassifyClaim(const std::optional<base::Json>& claim, const base::Json& owner,
                           bool has_workload, bool adopt);
// The merge patch that annotates the claim with the UID of `owner`.
base::Json ClaimMark(const base::Json& claim, const base::Json& owner);

// Whether `wished` differs from the claim template of `workload` (may be null), which is immutable.
bool StorageDiffers(const base::Json* workload, const api::AgentStorage& wished);

// Condition VolumeReady; its commands need kind, namespace and name of `owner`. `causes`: what
// Events say, also about other objects.
kube::Condition VolumeReady(const base::Json& owner, const std::optional<base::Json>& claim,
                            const ClaimFinding& finding, const std::vector<Cause>& causes);

}  // namespace controller
