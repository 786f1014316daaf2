// What the admission webhook answers about one foreign pod: the parts of its Agent, or why it is
// refused. The same functions as for our own pods and for `explain`. Pure; who asks is
// injection_webhook.h.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lib/kube/object/object.h"

namespace controller {

// The Agent as the cluster has it; nothing: there is none. An error: it cannot be told now.
using AgentLookup = std::function<base::Result<std::optional<base::Json>>(const kube::ObjectKey&)>;

// The AdmissionReview (admission.k8s.io/v1) that answers `review`. kInvalid: it is none about a
// pod; errors of `agent_of` are handed on. A pod without the label, or
// one that no sidecar could serve, is let through as it is.
base::Result<base::Json> AnswerMutation(const base::Json& review, const AgentLookup& agent_of);
// The same, after everybody has changed the pod: is the sidecar there, and whole? For servers
// without ValidatingAdmissionPolicies; the chart's says the same in CEL.
base::Result<base::Json> AnswerValidation(const base::Json& review);

// RFC 6902 operations that make `after` of `before`, of pods: whole lists, since one of them has
// changed at most in four places.
base::Json PodPatch(const base::Json& before, const base::Json& after);

// Why a pod with the label is refused by its twin; empty: its sidecar is whole.
std::string SidecarFault(const base::Json& pod, const std::string& agent);

}  // namespace controller
