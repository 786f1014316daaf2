// The rights of an agent over a row of the memory server. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace sidecar {

// True for a row of the policy's project.
bool IsOwn(const base::Json& row, const api::Policy& policy);
// True for a row of the project, and for a global row of another project.
bool MayRead(const base::Json& row, const api::Policy& policy);
// kDenied: a user wrote the row and the policy does not allow to `verb` ("change", "delete") it.
base::Status MayChange(const base::Json& row, const api::Policy& policy, int64_t id,
                       const std::string& verb);
// The session of an agent's writes outside of a conversation.
std::string AgentSession(const api::Policy& policy);

}  // namespace sidecar
