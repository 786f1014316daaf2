// What an Agent should own: the table of builders, one for each child kind, and what they read. A
// new child kind is a new file in objects/ and a new line in desired.cc. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "operator/observe.h"

namespace controller {

struct Blueprint {
  api::Agent agent;
  base::Json owner;  // reference to the Agent, of a run's objects to the AgentRun; null when it has
                     // no UID (rendered from a file)
  std::string policy_file;  // the bytes of policy.json
  std::string audience;     // of the sidecar's token
  std::string sidecar_image, otlp_endpoint;
  std::string injection_policy;       // that serves pods of others; empty: they are not served
  bool avoids_startup_probe = false;  // pods may come to stand where it does harm
  const base::Json* workload =
      nullptr;  // the observed StatefulSet, of which some fields never change
};

struct Child {
  kube::Resource resource;
  base::Json object;
  bool may_be_unserved = false;  // not every cluster has this kind: that is a refusal, no error
};

// In the order in which they must be applied.
std::vector<Child> Desired(const Blueprint& blueprint);
// What all objects that we make have in common: kind, namespace, labels, owner.
base::Json Dressed(base::Json object, const kube::Resource& resource, const Blueprint& blueprint);
// The kinds in it, for watching.
std::vector<kube::Resource> ChildResources();
// Whether the Agent names neither image nor template: the operator's setting has to name one.
bool NamesNoImage(const api::Agent& agent);
// Why spec.template cannot be used; empty when it can, or when the Agent has none.
std::string TemplateFault(const api::Agent& agent);

}  // namespace controller
