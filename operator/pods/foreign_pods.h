// Injection into foreign pods: the admission object for it, the Agent of a binding, and the pods
// that cannot have a sidecar. Pure.
#pragma once

#include <string>

#include "lib/api/agent.h"
#include "lib/kube/object/object.h"

namespace controller {

// The admission object that injects foreign pods, if there is one. Default: not configured.
struct ForeignPods {
  std::string policy;   // name of the chart's MutatingAdmissionPolicy, or
  std::string webhook;  // of its MutatingWebhookConfiguration; both empty: not served, for:
  std::string reason = "NotOffered";
  std::string message =
      "this operator injects no foreign pods: install the chart with foreignPods.enabled=true";

  bool Served() const { return !policy.empty() || !webhook.empty(); }
};

bool WantsForeignPods(const api::Agent& agent);  // spec.injection.foreignPods and spec.memory

// The Agent of a binding that this operator manages; an empty key for any other object.
kube::ObjectKey AgentOfBinding(const base::Json& object);

// Why a pod cannot have a sidecar; an empty reason: it can. The operator and the chart's policies
// leave such a pod unchanged: an agent without memory is better than one that does not run.
struct Skip {
  std::string reason;   // HostNetwork | Windows | StaticPod
  std::string message;  // "it …"
};
Skip SkipOf(const base::Json& pod);

// Why admission, also the chart's policies, refuses a pod that is not skipped; empty: it does not.
std::string ForeignPodFault(const base::Json& pod);

}  // namespace controller
