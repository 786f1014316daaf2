// Readiness that means something (rulings X24).
#include "memory/health.h"

#include <sys/statvfs.h>

#include "lib/telemetry/instrument.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr int64_t kLookEveryMs = 1000;

}  // namespace

HealthProbe::HealthProbe(Tenants& tenants, const base::Clock& clock, std::string directory,
                         int64_t min_free_bytes)
    : tenants_(tenants),
      clock_(clock),
      directory_(std::move(directory)),
      min_free_bytes_(min_free_bytes) {}

int64_t HealthProbe::FreeBytes() const {
  struct statvfs space {};
  if (statvfs(directory_.c_str(), &space) != 0) return -1;
  return static_cast<int64_t>(space.f_bavail) * static_cast<int64_t>(space.f_frsize);
}

Status HealthProbe::Look() const {
  if (tenants_.Failed()) {
    return Error{Code::kUnavailable, "a sync to the disk failed; the process ends and recovers"};
  }
  int64_t free_bytes = FreeBytes();
  if (free_bytes < 0) return Error{Code::kUnavailable, directory_ + " cannot be looked at"};
  if (free_bytes < min_free_bytes_) {
    return Error{Code::kFull, directory_ + " has " + std::to_string(free_bytes) + " bytes left, " +
                                  std::to_string(min_free_bytes_) +
                                  " are needed: delete rows or enlarge the volume"};
  }
  return tenants_.ProbeWrite();
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
      metrics.SetGauge("agent_memory_server_free_bytes", static_cast<double>(probe.FreeBytes()));
      metrics.SetGauge("agent_memory_server_queued_writes",
                       static_cast<double>(tenants.QueuedWrites()));
      metrics.SetGauge("agent_memory_server_open_tenants", static_cast<double>(tenants.Open()));
      return scrape(request);
    };
  }
  return routes;
}

}  // namespace memory
