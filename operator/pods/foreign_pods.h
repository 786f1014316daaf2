// Foreign pods that want an Agent's memory: the kinds of objects that give it to them, whose they
// are, and which pods cannot have it. Pure.
#pragma once

#include <string>

#include "lib/api/agent.h"
#include "lib/kube/object/object.h"

namespace controller {

// Whether this operator can serve them. As made: it was not asked to.
struct ForeignPods {
  std::string policy;   // the MutatingAdmissionPolicy of the chart, or:
  std::string webhook;  // its MutatingWebhookConfiguration; both empty: it cannot, because:
  std::string reason = "NotOffered";
  std::string message =
      "this operator injects no foreign pods: install the chart with foreignPods.enabled=true";

  bool Served() const { return !policy.empty() || !webhook.empty(); }
};

bool WantsForeignPods(const api::Agent& agent);  // spec.injection.foreignPods, and it has a memory

// The Agent that a binding of ours is for; an empty key when it is none of ours.
kube::ObjectKey AgentOfBinding(const base::Json& object);

// Why no sidecar could serve a pod; an empty reason: one could. Such a pod is left as it is, by the
// policies of the chart too: an agent without memory is better off than one that does not run.
struct Skip {
  std::string reason;   // HostNetwork | Windows | StaticPod
  std::string message;  // "it …"
};
Skip SkipOf(const base::Json& pod);

// Why a pod that is not skipped is refused; empty when it is not. The policies say the same.
std::string ForeignPodFault(const base::Json& pod);

}  // namespace controller
