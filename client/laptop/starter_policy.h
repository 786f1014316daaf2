// The policy of this machine: its first version for a new user, and its form for a sidecar. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace client {

// The first policy.json, which `up` writes and the user may change.
std::string StarterPolicy();

// Whether a policy.json is the starter policy of an earlier version, whatever its white space.
bool IsEarlierStarter(std::string_view policy);

// The fields of `memory` that the starter policy has and an edited policy has not, sorted.
std::vector<std::string> AbsentDefaults(std::string_view policy);

// `policy` with agent, namespace, the server's address and the project. kInvalid names the wrong
// field.
base::Result<std::string> PolicyFor(std::string_view policy, const std::string& server,
                                    const std::string& project);

// True if the policy denies calls or is invalid: without a sidecar's decision no tool may run.
bool Denies(std::string_view policy);

}  // namespace client
