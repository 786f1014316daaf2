// The memory routes of the agent's listener: the rows of lib/api/operations that a sidecar
// forwards, if the switches of the policy are on. agent_memory.h makes the calls.
#pragma once

#include <vector>

#include "lib/api/operations/operation.h"
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
  http::Response Answer(const api::Operation& row, const http::Request& request);

  AgentMemory& memory_;
  const PolicyWatch& policies_;
};

}  // namespace sidecar
