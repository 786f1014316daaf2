// The input of the builders of an Agent's objects, and the labels and owner of all built objects.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "lib/kube/object/object.h"

namespace controller {

struct Blueprint {
  api::Agent agent;
  base::Json owner;  // reference to the Agent, in objects of a run to the AgentRun; null without a
                     // UID (rendered from a file)
  std::string policy_file;  // the bytes of policy.json
  std::string audience;     // of the sidecar's token
  std::string sidecar_image, otlp_endpoint;
  std::string injection_policy;  // MutatingAdmissionPolicy to bind for foreign pods; empty: none
  // ServiceAccounts with grants on the Agent's shared memory.
  std::vector<std::string> reading_accounts, writing_accounts;
  bool avoids_startup_probe = false;     // pods may run on kubelets with the startupProbe bug
  const base::Json* workload = nullptr;  // the observed StatefulSet if its claim template, which is
                                         // immutable, differs from spec.storage; else null
};

// Adds apiVersion and kind of `resource`, and namespace, labels and owner of `blueprint`.
// Cluster-scoped objects get no namespace and no owner.
base::Json WithOwnerAndLabels(base::Json object, const kube::Resource& resource,
                              const Blueprint& blueprint);

}  // namespace controller
