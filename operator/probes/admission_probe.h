// Probes how foreign pods can be injected: whether the chart's policy or webhook configuration
// exists, and whether the operator may bind the policy.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/client/kube_client.h"
#include "operator/pods/foreign_pods.h"

namespace controller {

// The configured ways of injection.
struct InjectionWish {
  std::string mode = "auto";    // policy, webhook; auto: the policy if it exists
  std::string policy, webhook;  // names of the chart's objects; empty: not configured
};

// Like ProbeForeignPods, for policy and webhook.
base::Result<ForeignPods> ProbeInjection(kube::KubeClient& client, const InjectionWish& wish,
                                         const std::vector<std::string>& name_spaces);

// `policy`: name of the MutatingAdmissionPolicy; empty: not configured. With `name_spaces` makes no
// call and serves none, as policies are cluster-scoped. kUnavailable, kTimeout: no answer.
base::Result<ForeignPods> ProbeForeignPods(kube::KubeClient& client, const std::string& policy,
                                           const std::vector<std::string>& name_spaces);

}  // namespace controller
