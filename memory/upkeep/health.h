// Whether the server would keep a write now, and the admin port's routes.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"
#include "lib/telemetry/metrics.h"
#include "memory/sqlite/engine/soundness.h"
#include "memory/sqlite/engine/tenants.h"
#include "memory/volume/space_guard.h"

namespace memory {

class HealthProbe {
 public:
  HealthProbe(Tenants& tenants, const base::Clock& clock, SpaceGuard& space,
              const Soundness& soundness);
  // Ok: a write was just committed, there is space for more, and no file is known to be damaged.
  // The write is made again at most once a second, since it costs a sync. Any thread.
  base::Status Ready();
  const std::string& directory() const { return space_.directory(); }
  const SpaceGuard& space() const { return space_; }
  const Soundness& soundness() const { return soundness_; }

 private:
  base::Status Look() const;
  Tenants& tenants_;
  const base::Clock& clock_;
  SpaceGuard& space_;
  const Soundness& soundness_;
  std::mutex mutex_;
  int64_t looked_ms_ = -1;
  base::Status last_;
};

// /livez, /readyz, /metrics and, for the operator, api::kServerReportPath. The first three outlive
// the server. `quota`, `budget`: to tell how near they are; `by_keys`: as in the report; may be
// null.
std::vector<http::Route> AdminRoutes(HealthProbe& probe, Tenants& tenants,
                                     telemetry::Metrics& metrics, const TenantQuota& quota,
                                     std::function<bool()> by_keys,
                                     std::shared_ptr<const base::ByteBudget> budget = nullptr);

}  // namespace memory
