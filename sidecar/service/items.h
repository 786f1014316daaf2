// Calls of the agent's items on the server, for REST (item_routes) and MCP (item_tools) alike.
// Pure.
#pragma once

#include <string>

#include "sidecar/service/agent_memory.h"

namespace sidecar {

// /items/{key}, with a redacted key.
std::string ItemPath(const ActivePolicy& policy, const std::string& key);
// POST /items/consider by the rules of the policy.
AgentMemory::Resource ConsiderCall(const api::Policy& policy, base::Json body);

}  // namespace sidecar
