// Shared memory between Agents: the names that operator and server agree on, and the grants of a
// share file. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

// The virtual resource that Roles grant: no API server serves it, the memory server asks for it.
// Its names are those of owning Agents; get and list read, update and delete write.
inline constexpr const char* kSharedGroup = "memory.agents.agentops.io";
inline constexpr const char* kSharedResource = "sharedmemories";

// The ServiceAccount that an Agent's pods have unless their template names another.
inline std::string AgentAccount(const std::string& agent) { return agent + "-agent"; }

struct SharedGrant {
  std::vector<std::string> agents;  // who gets it
  bool writes = false;              // and reads; else it reads alone
};
using SharedGrants = std::map<std::string, std::vector<SharedGrant>>;  // by owner

// {"owner": [{"agents": ["b"], "access": "read" | "write"}]}; access is read when it is absent.
// kInvalid names the place.
base::Result<SharedGrants> DecodeSharedGrants(const base::Json& json);
// An Agent's spec.memory.share; absent and null are none.
base::Result<std::vector<SharedGrant>> DecodeShare(const base::Json& share,
                                                   const std::string& where);

}  // namespace api
