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
  http::Response List(const http::Request& request);
  http::Response Current(const http::Request& request);
  http::Response AppendMessages(const http::Request& request);
  http::Response GetMessages(const http::Request& request);
  http::Response PutState(const http::Request& request);
  base::Result<std::shared_ptr<const ActivePolicy>> Policy() const;

  State& state_;
  const WorkingMemory& memory_;
  const PolicyWatch& policies_;
  const base::Clock& clock_;
  const OutboxLimits limits_;
  std::function<void()> wake_;
};

}  // namespace sidecar
