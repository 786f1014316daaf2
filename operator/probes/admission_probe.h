// Looks whether the cluster can serve foreign pods: whether the chart's policy is there, and
// whether we may bind it.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/client/kube_client.h"
#include "operator/pods/foreign_pods.h"

namespace controller {

// What is asked for, and by which way.
struct InjectionWish {
  std::string mode = "auto";    // policy, webhook; auto: the policy where it is there
  std::string policy, webhook;  // names of the chart's objects; empty: not asked for
};

// Like ProbeForeignPods, for either way.
base::Result<ForeignPods> ProbeInjection(kube::KubeClient& client, const InjectionWish& wish,
                                         const std::vector<std::string>& name_spaces);

// `policy`: name of the MutatingAdmissionPolicy; empty: not asked for. Nothing is asked of the API
// server where only `name_spaces` are served. kUnavailable, kTimeout: nobody answered.
base::Result<ForeignPods> ProbeForeignPods(kube::KubeClient& client, const std::string& policy,
                                           const std::vector<std::string>& name_spaces);

}  // namespace controller
