// Names in toolHooks that no call of the agent's tools can ever have, as far as that is known
// before it runs. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"

namespace controller {

// One sentence for each such name, "rule deploys: …". Known to be wrong is a save rule for a memory
// tool, whose calls are never captured; and, where `spec` declares all tools (builtinTools as a
// list of names, and no tools bound beside them), what none of them is called. Where nothing is
// declared an agent may have any tool, and no name is wrong.
std::vector<std::string> UnknownTools(const api::Policy& policy, const base::Json& spec);

}  // namespace controller
