// The policy of this machine: what a user gets who has none, and what a sidecar is given of it.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace client {

// policy.json as `up` writes it for a user to change.
std::string StarterPolicy();

// `policy` with what only we know: agent, namespace, the server's address and the project. kInvalid
// names the field that is wrong.
base::Result<std::string> PolicyFor(std::string_view policy, const std::string& server,
                                    const std::string& project);

// The policy denies calls, so that a tool must not run when nobody can be asked.
bool Denies(std::string_view policy);

}  // namespace client
