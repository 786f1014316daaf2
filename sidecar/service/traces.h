// Calls of traces on the server, for REST (trace_routes) and MCP (trace_tools) alike. Whose memory
// a call is about is AgentMemory's to say.
#pragma once

#include <string>

#include "sidecar/service/agent_memory.h"

namespace sidecar {

inline constexpr const char* kSearchTracesPath = "/traces/search";

// /traces/{id}{behind}, as an id may come from a model.
std::string TracePath(const std::string& id, const std::string& behind = {});
// With what the server must know of the writer, and of the Agent's settings, in `body`, when that
// is an object; its `conversation` is the call's.
AgentMemory::Resource TraceCall(const api::Policy& policy, const char* method, std::string path,
                                base::Json body = nullptr);

}  // namespace sidecar
