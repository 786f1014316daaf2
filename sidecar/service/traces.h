// Calls of traces on the server, for REST (trace_routes) and MCP (trace_tools) alike. Whose memory
// a call is about is AgentMemory's to say.
#pragma once

#include <string>
#include <vector>

#include "sidecar/service/agent_memory.h"

namespace sidecar {

// /traces/{id}{behind}, as an id may come from a model.
std::string TracePath(const std::string& id, const std::string& behind = {});
// With what the server must know of the writer in `body`, when that is an object; its
// `conversation` is the call's.
AgentMemory::Resource TraceCall(const api::Policy& policy, const char* method, std::string path,
                                base::Json body = nullptr);

// Asks for `resource`, which hides these traces. kDenied: a user wrote one of them, and the policy
// does not allow to hide it; the server was not asked for it then.
AgentMemory::Answer AskToHide(AgentMemory& memory, const MemoryCall& call,
                              const std::vector<std::string>& ids, AgentMemory::Resource resource);

}  // namespace sidecar
