// The routes of the injection ledger: GET /ledger/{conversation} and POST …/check, …/mark, …/evict,
// answered from state.db alone.
#pragma once

#include <string>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/state/state.h"

namespace sidecar {

class LedgerRoutes {
 public:
  LedgerRoutes(State& state, const PolicyWatch& policies, const base::Clock& clock)
      : state_(state), policies_(policies), clock_(clock) {}
  std::vector<http::Route> Routes();  // their handlers refer to this object

 private:
  struct Question;
  base::Result<Question> ReadQuestion(const http::Request& request) const;
  base::Result<base::Json> Get(const http::Request& request);
  base::Result<base::Json> Check(const http::Request& request);
  base::Result<base::Json> Mark(const http::Request& request);
  base::Result<base::Json> Evict(const http::Request& request);

  State& state_;
  const PolicyWatch& policies_;
  const base::Clock& clock_;
};

}  // namespace sidecar
