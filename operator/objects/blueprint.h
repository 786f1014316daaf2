// What the builders of objects read about an Agent, and the labels and owner that all that they
// make carries. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "lib/kube/object/object.h"

namespace controller {

struct Blueprint {
  api::Agent agent;
  base::Json owner;  // reference to the Agent, of a run's objects to the AgentRun; null when it has
                     // no UID (rendered from a file)
  std::string policy_file;  // the bytes of policy.json
  std::string audience;     // of the sidecar's token
  std::string sidecar_image, otlp_endpoint;
  std::string injection_policy;  // that serves foreign pods; empty: they are not served
  // ServiceAccounts that use its shared memory.
  std::vector<std::string> reading_accounts, writing_accounts;
  bool avoids_startup_probe = false;  // pods may come to stand where it does harm
  const base::Json* workload =
      nullptr;  // the observed StatefulSet, of which some fields never change
};

// `object` with apiVersion and kind of `resource`, namespace, labels and owner of `blueprint`.
// Nothing cluster-scoped has a namespace or an owner.
base::Json WithOwnerAndLabels(base::Json object, const kube::Resource& resource,
                              const Blueprint& blueprint);

}  // namespace controller
