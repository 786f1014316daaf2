// The routes of the injection log: the exact injection of a turn, and a replay of its query. Read
// only.
#pragma once

#include <vector>

#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/recall/recall.h"
#include "sidecar/state/state.h"
#include "sidecar/tables/injection_log.h"

namespace sidecar {

class InjectionRoutes {
 public:
  InjectionRoutes(State& state, const PolicyWatch& policies, Recall& recall)
      : state_(state), policies_(policies), recall_(recall) {}
  // GET /v1/injections/{conversation}/{turn} and …/replay; their handlers refer to this object.
  std::vector<http::Route> Routes();

 private:
  base::Result<base::Json> Get(const http::Request& request);
  // Repeats each recorded query under the current policy, with an empty ledger. kDenied: autoSearch
  // is off.
  base::Result<base::Json> Replay(const http::Request& request);
  struct Question;
  base::Result<InjectionPage> Records(const Question& question);
  base::Json ReplayOne(const InjectionRecord& record, const ActivePolicy& policy);

  State& state_;
  const PolicyWatch& policies_;
  Recall& recall_;
};

}  // namespace sidecar
