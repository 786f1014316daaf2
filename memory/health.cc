// Readiness that means something (rulings X24).
#include "memory/health.h"

#include "lib/telemetry/instrument.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr int64_t kLookEveryMs = 1000;

}  // namespace

HealthProbe::HealthProbe(Tenants& tenants, const base::Clock& clock, SpaceGuard& space)
    : tenants_(tenants), clock_(clock), space_(space) {}

Status HealthProbe::Look() const {
  if (tenants_.Failed()) {
    return Error{Code::kUnavailable, "a sync to the disk failed; the process ends and recovers"};
  }
  return tenants_.ProbeWrite();  // refused by the guard when there is no room
}

Status HealthProbe::Ready() {
  std::lock_guard lock(mutex_);
  int64_t now_ms = clock_.MonotonicMs();
  if (looked_ms_ < 0 || now_ms - looked_ms_ >= kLookEveryMs || tenants_.Failed()) {
    last_ = Look();
    looked_ms_ = now_ms;
  }
  return last_;
}

std::vector<http::Route> AdminRoutes(HealthProbe& probe, Tenants& tenants,
                                     telemetry::Metrics& metrics) {
  std::vector<http::Route> routes =
      telemetry::AdminRoutes(metrics, [&probe] { return probe.Ready(); });
  for (http::Route& route : routes) {
    if (route.pattern != "/metrics") continue;
    route.handler = [&probe, &tenants, &metrics,
                     scrape = route.handler](const http::Request& request) {
      metrics.SetGauge("agent_memory_server_free_bytes",
                       static_cast<double>(probe.space().FreeBytes()));
      metrics.SetGauge("agent_memory_server_ballast_bytes",
                       static_cast<double>(probe.space().BallastBytes()));
      metrics.SetGauge("agent_memory_server_queued_writes",
                       static_cast<double>(tenants.QueuedWrites()));
      metrics.SetGauge("agent_memory_server_open_tenants", static_cast<double>(tenants.Open()));
      return scrape(request);
    };
  }
  return routes;
}

}  // namespace memory
