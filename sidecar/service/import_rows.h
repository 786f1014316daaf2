// Holds an import that an agent sends to what the policy lets an agent write: its project, no
// secrets, no trust above an agent's. Sends nothing. Pure.
#pragma once

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/policy/active_policy.h"

namespace sidecar {

// kInvalid: a field beside format, exported_at, sessions and observations, which could hold rows
// that nobody looks at here.
base::Status HoldImport(const ActivePolicy& policy, base::Json& document);

}  // namespace sidecar
