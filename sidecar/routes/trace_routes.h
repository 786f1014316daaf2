// The routes of traces and of the ingest of turns on the agent's listener: which of them the
// server gets, and how. Binding them to the policy is memory_routes.h.
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
