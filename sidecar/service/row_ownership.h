// Whose a row of the memory server is, and what an agent may do with it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace sidecar {

// The row belongs to the policy's project.
bool IsOwn(const base::Json& row, const api::Policy& policy);
// Its own rows, and those of other projects with scope global.
bool MayRead(const base::Json& row, const api::Policy& policy);
// kDenied: a user wrote it and the policy does not allow to `verb` ("change", "delete") it.
base::Status MayChange(const base::Json& row, const api::Policy& policy, int64_t id,
                       const std::string& verb);
// The session in which an agent writes that has no conversation.
std::string AgentSession(const api::Policy& policy);

}  // namespace sidecar
