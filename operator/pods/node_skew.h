// Finds nodes whose kubelets run pods with a native sidecar badly, decides whether an Agent's pods
// may run there, and makes the condition about them. Does not influence scheduling. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/object/conditions.h"
#include "lib/kube/object/object.h"

namespace controller {

enum class KubeletFault {
  kNone,
  kNoNativeSidecars,  // before 1.29: waits for the sidecar to end before it starts the agent
  // 1.35.0 to 1.35.3: after its own restart such a kubelet restarts no crashed container of a pod
  // whose sidecar has a startupProbe (kubernetes#137146, fixed in 1.35.4 by #137885).
  kForgetsRestarts,
};

// The fault of a kubeletVersion such as "v1.35.2-gke.1"; kNone: none, or it cannot be parsed.
KubeletFault FaultOf(const std::string& kubelet_version);

// Keeps the fields that SkewOf reads; of a node without a fault only its name.
void PruneNode(base::Json& node);

// Names of faulty nodes.
struct NodeSkew {
  std::vector<std::string> without_sidecars, forgetting;
};
// The faulty nodes of `nodes` (may be pruned) that new pods may be scheduled to: not cordoned, not
// Windows and, with `pod_spec`, not excluded by its nodeSelector or by a taint that it does not
// tolerate. Ignores taints of node conditions (node.kubernetes.io/) and affinities.
NodeSkew SkewOf(const std::vector<base::Json>& nodes, const base::Json* pod_spec);

// Condition NodeSkew, True, with the first nodes of each fault. `skew` must not be empty.
kube::Condition NodeSkewCondition(const NodeSkew& skew);

}  // namespace controller
