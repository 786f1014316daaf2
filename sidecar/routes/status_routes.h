// The routes about the sidecar itself: status, policy, probes, metrics. Read only.
#pragma once

#include <mutex>
#include <vector>

#include "lib/base/limits/byte_budget.h"
#include "lib/http/message/router.h"
#include "lib/telemetry/metrics.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/routes/activity.h"
#include "sidecar/state/state.h"
#include "sidecar/turn/rule_counters.h"
#include "sidecar/upstream/delivery.h"
#include "sidecar/upstream/memory_servers.h"

namespace sidecar {

class StatusRoutes {
 public:
  StatusRoutes(State& state, const PolicyWatch& policies, const Delivery& delivery,
               const MemoryServers& servers, const RuleCounters& rules, const Activity& activity,
               telemetry::Metrics& metrics);
  std::vector<http::Route> AgentRoutes();  // /v1/status
  // /livez, /readyz, /metrics, /v1/policy. Ready: a valid policy was seen and the disk accepts
  // writes, independent of the memory server. All but the two probes wait (Route::waits), so that
  // workers for probes stay free. `budget`: for the metric of its use.
  std::vector<http::Route> AdminRoutes(std::shared_ptr<const base::ByteBudget> budget);

 private:
  http::Response Status(const http::Request& request);
  http::Response Policy(const http::Request& request);
  base::Status Ready();
  void RefreshGauges();

  State& state_;
  const PolicyWatch& policies_;
  const Delivery& delivery_;
  const MemoryServers& servers_;
  const RuleCounters& rules_;
  const Activity& activity_;
  telemetry::Metrics& metrics_;
  std::mutex scrape_;
};

}  // namespace sidecar
