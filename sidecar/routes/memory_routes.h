// The memory routes of the agent's listener: an allow-list over the server's API, behind the
// policy's switches. agent_memory.h makes the calls.
#pragma once

#include <vector>

#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/service/agent_memory.h"

namespace sidecar {

class MemoryRoutes {
 public:
  MemoryRoutes(AgentMemory& memory, const PolicyWatch& policies)
      : memory_(memory), policies_(policies) {}
  // Their handlers refer to this object. Routes that call the server wait (Route::waits).
  std::vector<http::Route> Routes();

 private:
  using Method = AgentMemory::Answer (*)(AgentMemory&, const MemoryCall&, const http::Request&);
  http::Handler Bind(Method method, std::vector<bool api::Policy::*> needed = {});

  AgentMemory& memory_;
  const PolicyWatch& policies_;
};

}  // namespace sidecar
