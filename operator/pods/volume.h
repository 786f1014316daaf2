// The volume of a StatefulSet with one Pod, of an Agent or of a MemoryServer: the owner of its
// claim, and what the status says about the claim. Pure.
#pragma once

#include <optional>
#include <string>

#include "lib/api/agent.h"
#include "lib/kube/object/conditions.h"

namespace controller {

// Whose claim data-<name>-0 is.
enum class ClaimState {
  kAbsent,    // not there yet
  kOurs,      // this object's
  kLeftover,  // of an earlier object of this name, and storage.adopt is false
};

struct ClaimFinding {
  ClaimState state = ClaimState::kAbsent;
  std::string from;   // UID noted on a leftover; may be empty
  bool mark = false;  // ours, and it does not say so yet
};
// `owner`: the Agent or MemoryServer; `has_workload`: its StatefulSet stands.
ClaimFinding ClassifyClaim(const std::optional<base::Json>& claim, const base::Json& owner,
                           bool has_workload, bool adopt);
// The merge patch that says so on the claim.
base::Json ClaimMark(const base::Json& claim, const base::Json& owner);

// `wished` is not what the claim template of `workload` (may be null) says, which the API refuses
// to change.
bool StorageDiffers(const base::Json* workload, const api::AgentStorage& wished);

// Condition VolumeReady of `owner`, whose apiVersion, kind and name the commands in it need.
kube::Condition VolumeReady(const base::Json& owner, const std::optional<base::Json>& claim,
                            ClaimState state, const std::string& from);

}  // namespace controller
