// Runs rounds of retention. Logs and metrics have counts, never contents of hidden or removed rows.
#include "memory/upkeep/sweeper.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "lib/base/process/log.h"

namespace memory {

namespace {

constexpr int64_t kLookMs = 1000;  // interval of Engine::Tidy

}  // namespace

Sweeper::Sweeper(Engine& engine, telemetry::Metrics& metrics, int64_t interval_ms)
    : engine_(engine),
      metrics_(metrics),
      thread_([this, interval_ms](const std::stop_token& stop) { Loop(stop, interval_ms); }) {
  pthread_setname_np(thread_.native_handle(), "retention");
}

Sweeper::~Sweeper() {
  thread_.request_stop();
  thread_.join();
}

void Sweeper::Loop(const std::stop_token& stop, int64_t interval_ms) {
  engine_.Recover(stop);
  using std::chrono::steady_clock;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  auto next = steady_clock::now() + std::chrono::milliseconds(interval_ms);
  while (!stop.stop_requested()) {
    const auto look = steady_clock::now() + std::chrono::milliseconds(kLookMs);
    wake.wait_until(lock, stop, std::min(look, next), [] { return false; });
    if (stop.stop_requested()) return;
    if (steady_clock::now() < next) {
      engine_.Tidy();
      continue;
    }
    Round(stop);
    next = steady_clock::now() + std::chrono::milliseconds(interval_ms);
  }
}

void Sweeper::Round(const std::stop_token& stop) {
  int64_t cap_exempt = 0;
  const bool whole = engine_.Sweep(stop, [&](const base::Result<Swept>& swept) {
    if (!swept) {
      // Reads skip expired rows anyway; the next round retries.
      base::LogWarn("retention could not finish a round", {{"reason", swept.error().message}});
      return;
    }
    cap_exempt += swept->cap_exempt;
    Report(*swept);
  });
  if (whole)
    metrics_.SetGauge("agent_memory_server_over_cap_rows", static_cast<double>(cap_exempt));
}

void Sweeper::Report(const Swept& swept) {
  std::map<std::string, int64_t> counts = swept.expired;
  counts.insert({{"ttl", swept.lapsed},
                 {"cap", swept.capped},
                 {"restored", swept.restored},
                 {"purged", swept.purged},
                 {"revisions", swept.revisions},
                 {"idempotency", swept.keys}});
  base::Json said = base::Json::object();
  for (const auto& [reason, rows] : counts) {
    if (rows == 0) continue;
    said[reason] = rows;
    metrics_.Count("agent_memory_server_retention_rows_total", {{"what", reason}},
                   static_cast<double>(rows));
  }
  if (!said.empty()) base::LogInfo("retention", {{"rows", said}});
}

}  // namespace memory
