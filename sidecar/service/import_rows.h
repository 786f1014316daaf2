// Restricts the document of an agent's import to the policy: its project, redaction, no trust class
// above an agent's. Pure.
#pragma once

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/policy/active_policy.h"

namespace sidecar {

// kInvalid: a field other than format, exported_at and the arrays that it checks.
base::Status HoldImport(const ActivePolicy& policy, base::Json& document);

}  // namespace sidecar
