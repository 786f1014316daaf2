// POST /v1/erase: removes quotes of erased texts from the outbox and the tables of state.db, and
// says what is left.
#pragma once

#include <string>
#include <vector>

#include "lib/base/text/quotes.h"
#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/state/state.h"

namespace sidecar {

class ErasureRoutes {
 public:
  // `allowed`: also without memory.allowAdmin, for the sidecar of a laptop, whose user erases.
  ErasureRoutes(State& state, const PolicyWatch& policies, bool allowed)
      : state_(state), policies_(policies), allowed_(allowed) {}
  std::vector<http::Route> Routes();  // their handlers refer to this object

 private:
  base::Result<base::Json> Erase(const http::Request& request);
  base::Status EraseOutbox(const base::Quotes& quotes, base::Json& erased);

  State& state_;
  const PolicyWatch& policies_;
  const bool allowed_;
};

}  // namespace sidecar
