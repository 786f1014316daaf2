// The desired children of an Agent, from a table with a builder for each. A new child kind is a new
// builder in objects/ and a new row in desired.cc: observation, caches, watches and removal follow
// the table. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "operator/objects/blueprint.h"
#include "operator/plan/plan.h"

namespace controller {

// In the order in which they must be applied.
std::vector<Child> Desired(const Blueprint& blueprint);
// The kinds of the table, each once: Classify takes them for children, the reconciler caches,
// watches and reads them. Cluster-scoped kinds have separate watches in the reconciler.
std::vector<kube::Resource> ChildResources();

}  // namespace controller
