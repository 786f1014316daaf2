// Calls of traces on the server, for REST (trace_routes) and MCP (trace_tools) alike. AgentMemory
// adds user, Agent and conversation.
#pragma once

#include <string>

#include "sidecar/service/agent_memory.h"

namespace sidecar {

inline constexpr const char* kSearchTracesPath = "/traces/search";

// /traces/{id}{behind}, encoded, since the id may come from a model.
std::string TracePath(const std::string& id, const std::string& behind = {});
// Adds the writer (origin, replace_user) and, for ingest and search, the Agent's settings to `body`
// if it is an object; the call is of its `conversation`.
AgentMemory::Resource TraceCall(const api::Policy& policy, const char* method, std::string path,
                                base::Json body = nullptr);

}  // namespace sidecar
