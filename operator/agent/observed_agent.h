// What there is: everything about one Agent that a plan is made from. Filled from caches by the
// controller and from files by `render`; the same function sorts the objects. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/kube/object/object.h"
#include "operator/plan/plan.h"
#include "operator/pods/uninjected_pods.h"

namespace controller {

using Objects = std::map<kube::ObjectKey, base::Json>;
struct ObservedAgent {
  base::Json agent;  // defaulted and validated by its schema
  Objects services, agent_tools, memory_servers;
  Objects agents;  // others of its namespace; at least those that its share names
  std::map<kube::ObjectKey, std::vector<base::Json>> endpoint_slices;  // by Service
  // Of the kinds that an Agent may own, in its namespace: those with its label, and others that sit
  // on the names that its children want.
  std::map<ChildKey, base::Json> children;
  std::optional<base::Json> claim;             // data-<agent>-0
  std::vector<base::Json> pods;                // with the Agent's label
  std::map<std::string, std::string> digests;  // pod → policy digest that its sidecar has in force
  // Intent hash → what the API server said when it refused that object.
  std::map<std::string, std::string> refused;
  std::map<std::string, int64_t> idle_ms;  // pod → since its agent asked its sidecar something
  bool has_rollout_slot = false;           // among the Agents that are being updated at this moment
  int64_t slot_held_ms = 0;
  // What it said when other controllers apply the same fields, in this very look.
  std::vector<std::string> conflicts;
  UninjectedPods uninjected;  // foreign pods
  std::vector<base::Json>
      nodes;  // at least those whose kubelets have a fault, see pods/node_skew.h
};

// Sorts `objects` around `agent`; those that have nothing to do with it are left out.
ObservedAgent Classify(const base::Json& agent, const std::vector<base::Json>& objects);

// Where spec.memory.serverRef points: its namespace and name. Empty name: the Agent has no memory.
kube::ObjectKey ServerReference(const base::Json& agent);

}  // namespace controller
