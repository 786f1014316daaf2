// The routes of working memory: /conversations and below, answered from state.db alone. They work
// without the memory server.
#pragma once

#include <functional>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/service/working_memory.h"
#include "sidecar/state/state.h"

namespace sidecar {

class ConversationRoutes {
 public:
  // `wake` tells the delivery that there are new rows.
  ConversationRoutes(State& state, const WorkingMemory& memory, const PolicyWatch& policies,
                     const base::Clock& clock, OutboxLimits limits, std::function<void()> wake);
  std::vector<http::Route> Routes();  // their handlers refer to this object

 private:
  base::Result<base::Json> List(const http::Request& request);
  base::Result<base::Json> Current(const http::Request& request);
  base::Result<base::Json> AppendMessages(const http::Request& request);
  base::Result<base::Json> GetMessages(const http::Request& request);
  base::Result<base::Json> PutState(const http::Request& request);

  State& state_;
  const WorkingMemory& memory_;
  const PolicyWatch& policies_;
  const base::Clock& clock_;
  const OutboxLimits limits_;
  std::function<void()> wake_;
};

}  // namespace sidecar
