// Finds names in toolHooks that no call of the agent's tools can match, as far as the spec tells.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"

namespace controller {

// One sentence for each wrong name, "rule deploys: …". Wrong are save rules for a memory tool,
// whose calls are never captured, and, if `spec` declares all tools (builtinTools as a list of
// names, and no bound tools), names that match none of them. Without such a declaration an agent
// may have any tool, and no other name is wrong.
std::vector<std::string> UnknownTools(const api::Policy& policy, const base::Json& spec);

}  // namespace controller
