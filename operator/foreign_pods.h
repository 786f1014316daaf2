// Pods of others that want an Agent's memory: the kinds of objects that give it to them, whose they
// are, and which pods cannot have it. Pure.
#pragma once

#include <string>

#include "lib/api/agent.h"
#include "lib/kube/object.h"

namespace controller {

// Whether this operator can serve them. As made: it was not asked to.
struct ForeignPods {
  std::string policy;  // the MutatingAdmissionPolicy of the chart; empty: it cannot, because:
  std::string reason = "NotOffered";
  std::string message =
      "this operator leaves pods of others alone: on Kubernetes 1.36 or newer, install the chart "
      "with foreignPods.enabled=true";
};

const kube::Resource& InjectionPolicies();  // MutatingAdmissionPolicy
const kube::Resource& InjectionBindings();  // MutatingAdmissionPolicyBinding

bool WantsForeignPods(const api::Agent& agent);  // spec.injection.foreignPods, and it has a memory

// The Agent that a binding of ours is for; an empty key when it is none of ours.
kube::ObjectKey AgentOfBinding(const base::Json& object);

// Why a pod can have no sidecar; empty when it can. The policies of the chart say the same.
std::string ForeignPodFault(const base::Json& pod);

}  // namespace controller
