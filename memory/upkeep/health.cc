// Readiness that means something (rulings X24).
#include "memory/upkeep/health.h"

#include <filesystem>

#include "lib/api/server_report.h"
#include "lib/telemetry/instrument.h"
#include "memory/sqlite/engine/page_caches.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr int64_t kProbeEveryMs = 1000;

}  // namespace

HealthProbe::HealthProbe(Tenants& tenants, const base::Clock& clock, SpaceGuard& space,
                         const Soundness& soundness)
    : tenants_(tenants), clock_(clock), space_(space), soundness_(soundness) {}

Status HealthProbe::Look() const {
  if (tenants_.Failed()) {
    return Error{Code::kUnavailable, "a sync to the disk failed; the process ends and recovers"};
  }
  return tenants_.ProbeWrite();  // refused by the guard when there is no room
}

Status HealthProbe::Ready() {
  std::lock_guard lock(mutex_);
  int64_t now_ms = clock_.MonotonicMs();
  if (looked_ms_ < 0 || now_ms - looked_ms_ >= kProbeEveryMs || tenants_.Failed()) {
    last_ = Look();
    looked_ms_ = now_ms;
  }
  return last_ ? soundness_.Read() : last_;
}

namespace {

struct FileSizes {
  int64_t tenants = 0, database_bytes = 0, log_bytes = 0;
};

// All tenants together: what a volume is sized by.
FileSizes SizesIn(const std::string& directory) {
  FileSizes sizes;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code gone;
    const auto bytes = static_cast<int64_t>(entry->file_size(gone));
    if (gone) continue;
    const bool log = name.ends_with("-wal");
    if (name.size() != kTenantFileDigits + (log ? 4 : 0)) continue;  // lock, table of names
    (log ? sizes.log_bytes : sizes.database_bytes) += bytes;
    if (!log) ++sizes.tenants;
  }
  return sizes;
}

// No tenant's name is in a label.
void MeasureFiles(const std::string& directory, telemetry::Metrics& metrics) {
  const FileSizes sizes = SizesIn(directory);
  metrics.SetGauge("agent_memory_server_tenants", static_cast<double>(sizes.tenants));
  metrics.SetGauge("agent_memory_server_file_bytes", static_cast<double>(sizes.database_bytes),
                   {{"part", "database"}});
  metrics.SetGauge("agent_memory_server_file_bytes", static_cast<double>(sizes.log_bytes),
                   {{"part", "log"}});
}

// The rows of all open tenants, and how near the one that keeps most is to its quota.
void MeasureUsage(const Tenants& tenants, const TenantQuota& quota, telemetry::Metrics& metrics) {
  const Tenants::Usage used = tenants.Used();
  auto share = [&](const char* name, int64_t most, int64_t limit) {
    metrics.SetGauge("agent_memory_server_quota_used_ratio",
                     limit > 0 ? static_cast<double>(most) / static_cast<double>(limit) : 0,
                     {{"quota", name}});
  };
  metrics.SetGauge("agent_memory_server_rows", static_cast<double>(used.rows));
  metrics.SetGauge("agent_memory_log_bytes", static_cast<double>(used.longest_log));
  metrics.SetGauge("agent_memory_server_erasures_due", static_cast<double>(used.due_erasures));
  share("rows", used.most_rows, quota.rows);
  share("bytes", used.most_bytes, quota.bytes);
}

http::Response Report(HealthProbe& probe, const Tenants& tenants, bool by_keys) {
  const FileSizes sizes = SizesIn(probe.directory());
  const Status ready = probe.Ready();
  return http::JsonResponse(
      200,
      api::EncodeServerReport({AGENT_MEMORY_VERSION, static_cast<int64_t>(SchemaSteps().size()),
                               tenants.Used().rows, sizes.database_bytes + sizes.log_bytes, by_keys,
                               ready ? "" : ready.error().message}));
}

}  // namespace

std::vector<http::Route> AdminRoutes(HealthProbe& probe, Tenants& tenants,
                                     telemetry::Metrics& metrics, const TenantQuota& quota,
                                     std::function<bool()> by_keys,
                                     std::shared_ptr<const base::ByteBudget> budget) {
  std::vector<http::Route> routes = telemetry::AdminRoutes(
      metrics, [&probe] { return probe.Ready(); }, std::move(budget));
  for (http::Route& route : routes) {
    if (route.pattern != "/metrics") continue;
    route.handler = [&probe, &tenants, &metrics, quota,
                     scrape = route.handler](const http::Request& request) {
      metrics.SetGauge("agent_memory_server_free_bytes",
                       static_cast<double>(probe.space().FreeBytes()));
      metrics.SetGauge("agent_memory_server_ballast_bytes",
                       static_cast<double>(probe.space().BallastBytes()));
      metrics.SetGauge("agent_memory_server_queued_writes",
                       static_cast<double>(tenants.QueuedWrites()));
      metrics.SetGauge("agent_memory_server_index_bytes",
                       static_cast<double>(tenants.IndexBytes()));
      metrics.SetGauge("agent_memory_server_cache_bytes", static_cast<double>(PageCacheBytes()));
      metrics.SetGauge("agent_memory_server_spool_bytes",
                       static_cast<double>(tenants.SpoolBytes()));
      metrics.SetGauge("agent_memory_server_open_tenants", static_cast<double>(tenants.Open()));
      metrics.SetGauge("agent_memory_server_damaged_files",
                       static_cast<double>(probe.soundness().Damaged()));
      MeasureFiles(probe.directory(), metrics);
      MeasureUsage(tenants, quota, metrics);
      return scrape(request);
    };
  }
  routes.push_back({"GET", api::kServerReportPath,
                    [&probe, &tenants, by_keys = std::move(by_keys)](const http::Request&) {
                      return Report(probe, tenants, by_keys && by_keys());
                    }});
  return routes;
}

}  // namespace memory
