// Compiles the regular expressions of a policy like the sidecar. Removes and reports those that the
// API server's check (with Go's syntax) accepts and RE2 rejects. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/policy.h"

namespace controller {

// Removes rules and extra patterns that do not compile from `policy`; returns a sentence for each.
std::vector<std::string> RemoveInvalidRules(api::Policy& policy);

}  // namespace controller
