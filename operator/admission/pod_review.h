// Answers the reviews of foreign pods: injects the parts of the Agent, or refuses with the reason,
// with the same functions as for own pods and `explain`. Pure; injection_webhook.h serves it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lib/kube/object/object.h"

namespace controller {

// Finds an Agent in the cluster; nullopt: there is none. Error: unknown at the moment.
using AgentLookup = std::function<base::Result<std::optional<base::Json>>(const kube::ObjectKey&)>;

// The AdmissionReview (admission.k8s.io/v1) that answers `review`. kInvalid: no review of a pod;
// also returns errors of `agent_of`. Admits a pod without the label, or one that cannot have a
// sidecar, unchanged.
base::Result<base::Json> AnswerMutation(const base::Json& review, const AgentLookup& agent_of);
// The same after all mutations: requires a complete sidecar. For API servers without
// ValidatingAdmissionPolicies; the chart's policy does the same in CEL.
base::Result<base::Json> AnswerValidation(const base::Json& review);

// RFC 6902 operations from pod `before` to pod `after`, with whole values: injection changes at
// most four of them.
base::Json PodPatch(const base::Json& before, const base::Json& after);

// Why validation refuses a pod with the label; empty: its sidecar is complete.
std::string SidecarFault(const base::Json& pod, const std::string& agent);

}  // namespace controller
