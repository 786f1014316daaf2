// The routes of traces and of the ingest of turns on the agent's listener: which requests go to the
// server, and in which form. memory_routes.h binds them to the policy.
#pragma once

#include <vector>

#include "lib/http/message/message.h"
#include "sidecar/service/agent_memory.h"

namespace sidecar {

struct MemoryRoute {
  const char* method;
  const char* pattern;
  AgentMemory::Answer (*ask)(AgentMemory&, const MemoryCall&, const http::Request&);
  std::vector<bool api::Policy::*> needed;  // switches of the policy that must be on
};

const std::vector<MemoryRoute>& TraceRoutes();

}  // namespace sidecar
