// Ready means that a write was just committed: a process that answers but cannot sync would accept
// requests and fail them all.
#include "memory/upkeep/health.h"

#include "lib/api/server_report.h"
#include "lib/telemetry/instrument.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr int64_t kProbeEveryMs = 1000;

}  // namespace

Status HealthProbe::Probe() const {
  if (engine_.Failed()) {
    return Error{Code::kUnavailable, "a sync to the disk failed; the process ends and recovers"};
  }
  return engine_.ProbeWrite();
}

Status HealthProbe::Ready() {
  std::lock_guard lock(mutex_);
  int64_t now_ms = clock_.MonotonicMs();
  if (probed_ms_ < 0 || now_ms - probed_ms_ >= kProbeEveryMs || engine_.Failed()) {
    last_ = Probe();
    probed_ms_ = now_ms;
  }
  return last_ ? engine_.Soundness() : last_;
}

namespace {

// Labels contain no name of a tenant.
void Measure(const EngineFigures& now, const TenantQuota& quota, telemetry::Metrics& metrics) {
  auto gauge = [&](const char* name, int64_t value, telemetry::Labels labels = {}) {
    metrics.SetGauge(name, static_cast<double>(value), std::move(labels));
  };
  gauge("agent_memory_server_free_bytes", now.free_bytes);
  gauge("agent_memory_server_ballast_bytes", now.ballast_bytes);
  gauge("agent_memory_server_queued_writes", now.queued_writes);
  gauge("agent_memory_server_index_bytes", now.index_bytes);
  gauge("agent_memory_server_cache_bytes", now.cache_bytes);
  gauge("agent_memory_server_embedding_rows_due", now.remote_gaps);
  gauge("agent_memory_server_reindex_rows_due", now.uncut_rows);
  gauge("agent_memory_server_spool_bytes", now.spool_bytes);
  gauge("agent_memory_server_open_tenants", now.open_tenants);
  gauge("agent_memory_server_damaged_files", now.damaged);
  gauge("agent_memory_server_tenants", now.tenants);
  gauge("agent_memory_server_file_bytes", now.database_bytes, {{"part", "database"}});
  gauge("agent_memory_server_file_bytes", now.log_bytes, {{"part", "log"}});
  gauge("agent_memory_server_rows", now.rows);
  gauge("agent_memory_log_bytes", now.longest_log_bytes);
  gauge("agent_memory_server_erasures_due", now.due_erasures);
  // The fill level of the fullest tenant's quota.
  auto share = [&](const char* name, int64_t most, int64_t limit) {
    metrics.SetGauge("agent_memory_server_quota_used_ratio",
                     limit > 0 ? static_cast<double>(most) / static_cast<double>(limit) : 0,
                     {{"quota", name}});
  };
  share("rows", now.most_rows, quota.rows);
  share("bytes", now.most_bytes, quota.bytes);
}

http::Response Report(HealthProbe& probe, const Engine& engine, bool by_keys,
                      const char* endpoint) {
  const EngineFigures now = engine.Figures();
  const Status ready = probe.Ready();
  base::Json report = api::EncodeServerReport({AGENT_MEMORY_VERSION, now.schema_version, now.rows,
                                               now.database_bytes + now.log_bytes, by_keys,
                                               ready ? "" : ready.error().message});
  report["embedding_endpoint"] = endpoint;
  report["embedding_rows_due"] = now.remote_gaps;
  report["reindex_rows_due"] = now.uncut_rows;
  return http::JsonResponse(200, report);
}

}  // namespace

std::vector<http::Route> AdminRoutes(HealthProbe& probe, const Engine& engine,
                                     telemetry::Metrics& metrics, const TenantQuota& quota,
                                     std::function<bool()> by_keys,
                                     std::shared_ptr<const base::ByteBudget> budget,
                                     bool endpoint) {
  std::vector<http::Route> routes = telemetry::AdminRoutes(
      metrics, [&probe] { return probe.Ready(); }, std::move(budget));
  for (http::Route& route : routes) {
    if (route.pattern != "/metrics") continue;
    route.handler = [&engine, &metrics, quota,
                     scrape = route.handler](const http::Request& request) {
      Measure(engine.Figures(), quota, metrics);
      return scrape(request);
    };
  }
  routes.push_back(
      {"GET", api::kServerReportPath,
       [&probe, &engine, &metrics, by_keys = std::move(by_keys), endpoint](const http::Request&) {
         const bool up = metrics.Value("agent_memory_server_embedding_endpoint_up") > 0;
         return Report(probe, engine, by_keys && by_keys(),
                       !endpoint ? "none"
                       : up      ? "up"
                                 : "away");
       }});
  return routes;
}

}  // namespace memory
