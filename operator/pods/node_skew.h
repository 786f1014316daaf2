// Nodes whose kubelets cannot run a pod with a native sidecar well: which they are, whether an
// Agent's pods may come to stand on them, and what people are told. Nothing is kept off a node
// here; where pods go is the scheduler's to decide. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/object/conditions.h"
#include "lib/kube/object/object.h"

namespace controller {

enum class KubeletFault {
  kNone,
  kNoNativeSidecars,  // before 1.29: an init container that never ends keeps the agent waiting
  // 1.35.0 to 1.35.3: once such a kubelet was restarted it never starts a crashed container of a
  // pod again whose sidecar has a startupProbe (kubernetes#137146, in 1.35.4 by #137885).
  kForgetsRestarts,
};

// Of status.nodeInfo.kubeletVersion, "v1.35.2-gke.1" say; one that cannot be read has no fault.
KubeletFault FaultOf(const std::string& kubelet_version);

// Keeps of a node what is read here: of one that serves, its name alone.
void PruneNode(base::Json& node);

// Of nodes with a fault, by name.
struct NodeSkew {
  std::vector<std::string> without_sidecars, forgetting;
};
// Of `nodes`, pruned, those that new pods may come to stand on: none that is cordoned, none of
// Windows, and with `pod_spec` none that its nodeSelector or its tolerations keep it from. Taints
// that say how a node does at the moment, and affinities, are not looked at.
NodeSkew SkewOf(const std::vector<base::Json>& nodes, const base::Json* pod_spec);

// NodeSkew is True and names the first nodes of each fault. Not to be called for none.
kube::Condition NodeSkewCondition(const NodeSkew& skew);

}  // namespace controller
