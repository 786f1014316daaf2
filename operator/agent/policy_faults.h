// Faults of a policy that the API server's check of an Agent does not find: regular expressions
// that Go's syntax accepts and RE2 rejects, and names of tools that the agent does not have. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"

namespace controller {

// Removes rules and extra patterns that do not compile from `policy`; returns a sentence for each.
std::vector<std::string> RemoveInvalidRules(api::Policy& policy);

// One sentence for each wrong name, "rule deploys: …". Wrong are save rules for a memory tool,
// whose calls are never captured, and, if `spec` declares all tools (builtinTools as a list of
// names, and no bound tools), names that match none of them. Without such a declaration an agent
// may have any tool, and no other name is wrong.
std::vector<std::string> UnknownTools(const api::Policy& policy, const base::Json& spec);

}  // namespace controller
