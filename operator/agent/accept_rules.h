// Compiles the regular expressions of a policy as the sidecar will: what the API server's own check
// let through (it is Go's) and RE2 refuses is left out here and named. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/policy.h"

namespace controller {

// Takes rules and extra patterns that do not compile out of `policy`; one sentence for each.
std::vector<std::string> RemoveInvalidRules(api::Policy& policy);

}  // namespace controller
