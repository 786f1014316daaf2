// What an Agent should own: the table of builders, one for each child kind, and what they read. A
// new child kind is a new file in objects/ and a new line in desired.cc: what is observed, cached,
// watched and removed follows from the table. Pure.
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
// The kinds in it, each once: what Classify takes for children, what the reconciler caches, watches
// and reads. What is cluster-scoped is watched by the reconciler's own code.
std::vector<kube::Resource> ChildResources();

}  // namespace controller
