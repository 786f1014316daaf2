// Projects compare without case, as on the server.
#include "sidecar/service/row_ownership.h"

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace sidecar {

bool IsOwn(const base::Json& row, const api::Policy& policy) {
  return base::FoldCase(base::StringAt(row, {"project"})) == base::FoldCase(policy.project);
}

bool MayRead(const base::Json& row, const api::Policy& policy) {
  return IsOwn(row, policy) || base::StringAt(row, {"scope"}) == "global";
}

base::Status MayChange(const base::Json& row, const api::Policy& policy, int64_t id,
                       const std::string& verb) {
  if (policy.allow_admin || base::StringAt(row, {"source", "origin"}) != api::kOriginUser) {
    return {};
  }
  return base::Error{base::Code::kDenied,
                     "a user wrote observation " + std::to_string(id) +
                         "; the policy of this agent does not allow to " + verb +
                         " it (memory.allowAdmin)" +
                         (verb == "change" ? ": save the new text as a separate memory" : "")};
}

std::string AgentSession(const api::Policy& policy) {
  return "agent-" + base::Sha256Hex(policy.agent_namespace + "/" + policy.agent).substr(0, 16);
}

}  // namespace sidecar
