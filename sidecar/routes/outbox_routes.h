// The routes of dead letters on the agent's listener: list, read, replay, discard. Users reach them
// by `kubectl port-forward` (docs/operations/troubleshooting.md).
#pragma once

#include <functional>
#include <vector>

#include "lib/http/message/router.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/state/state.h"

namespace sidecar {

class OutboxRoutes {
 public:
  // `wake` tells the delivery that there are new rows.
  OutboxRoutes(State& state, const PolicyWatch& policies, OutboxLimits limits,
               std::function<void()> wake);
  std::vector<http::Route> Routes();  // their handlers refer to this object

 private:
  base::Result<base::Json> List(const http::Request& request);
  base::Result<base::Json> Get(const http::Request& request);
  base::Result<base::Json> Replay(const http::Request& request);
  base::Result<base::Json> Discard(const http::Request& request);

  State& state_;
  const PolicyWatch& policies_;
  const OutboxLimits limits_;
  std::function<void()> wake_;
};

}  // namespace sidecar
