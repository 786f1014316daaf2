// Shared memory between Agents: the common names of operator and server, and the grants of a share
// file. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

// The virtual resource in Roles: no API server serves it, the memory server requests access reviews
// for it. Its object names are the owning Agents; get and list read, update and delete write.
inline constexpr const char* kSharedGroup = "memory.agents.agentops.io";
inline constexpr const char* kSharedResource = "sharedmemories";

// The ServiceAccount of an Agent's pods, unless their template names another.
inline std::string AgentAccount(const std::string& agent) { return agent + "-agent"; }

struct SharedGrant {
  std::vector<std::string> agents;  // the readers, or writers
  bool writes = false;              // writes and reads; else only reads
};
using SharedGrants = std::map<std::string, std::vector<SharedGrant>>;  // by owner

// {"owner": [{"agents": ["b"], "access": "read" | "write"}]}; access defaults to read. kInvalid
// names the path.
base::Result<SharedGrants> DecodeSharedGrants(const base::Json& json);
// Decodes an Agent's spec.memory.share; null: no grants. `where` begins the path in errors.
base::Result<std::vector<SharedGrant>> DecodeShare(const base::Json& share,
                                                   const std::string& where);

}  // namespace api
