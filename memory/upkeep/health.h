// Readiness of the server, and the routes of the admin port.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"
#include "lib/telemetry/metrics.h"
#include "memory/model/quota.h"
#include "memory/store/engine.h"

namespace memory {

class HealthProbe {
 public:
  HealthProbe(Engine& engine, const base::Clock& clock) : engine_(engine), clock_(clock) {}
  // Ok: a write was just committed, the volume has space for more, and no file is known to be
  // corrupt. Writes at most once a second, since each write costs a sync. Any thread.
  base::Status Ready();

 private:
  base::Status Probe() const;
  Engine& engine_;
  const base::Clock& clock_;
  std::mutex mutex_;
  int64_t probed_ms_ = -1;
  base::Status last_;
};

// /livez, /readyz, /metrics and, for the operator, api::kServerReportPath. The first three
// arguments outlive the server. `quota`, `budget`: for metrics of their use. `by_keys`: for the
// report; may be null. `endpoint`: an embeddings endpoint is set, and the report has its state.
std::vector<http::Route> AdminRoutes(HealthProbe& probe, const Engine& engine,
                                     telemetry::Metrics& metrics, const TenantQuota& quota,
                                     std::function<bool()> by_keys,
                                     std::shared_ptr<const base::ByteBudget> budget = nullptr,
                                     bool endpoint = false);

}  // namespace memory
