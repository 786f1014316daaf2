// The input of a plan: all observed objects around one Agent. The reconciler fills it from caches
// and `render` from files, both with Classify. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/kube/object/object.h"
#include "operator/plan/plan.h"
#include "operator/pods/causes.h"
#include "operator/pods/uninjected_pods.h"

namespace controller {

using Objects = std::map<kube::ObjectKey, base::Json>;
struct ObservedAgent {
  base::Json agent;  // defaulted and validated by its schema
  Objects services, agent_tools, memory_servers;
  Objects agents;  // others of its namespace, at least those in its share
  std::map<kube::ObjectKey, std::vector<base::Json>> endpoint_slices;  // by Service
  // Objects of the child kinds in the Agent's namespace: those with its label, and others that have
  // the names of its children.
  std::map<ChildKey, base::Json> children;
  std::optional<base::Json> claim;             // data-<agent>-0
  std::vector<base::Json> pods;                // with the Agent's label
  std::map<std::string, std::string> digests;  // pod → digest of the policy in force
  // Intent hash → message of the API server that refused the object.
  std::map<std::string, std::string> refused;
  std::map<std::string, int64_t> idle_ms;  // pod → ms since its agent's last request
  bool has_rollout_slot = false;           // of RolloutBudget
  int64_t slot_held_ms = 0;
  // Messages of this reconcile's applies about fields that other controllers apply too.
  std::vector<std::string> conflicts;
  UninjectedPods uninjected;  // foreign pods
  std::vector<Cause> causes;  // of a missing pod, by Events
  std::vector<base::Json>
      nodes;  // at least those whose kubelets have a fault, see pods/node_skew.h
};

// Sorts `objects` by their relation to `agent`; drops unrelated ones.
ObservedAgent Classify(const base::Json& agent, const std::vector<base::Json>& objects);

// Namespace and name of spec.memory.serverRef. Empty name: the Agent has no memory.
kube::ObjectKey ServerReference(const base::Json& agent);

}  // namespace controller
