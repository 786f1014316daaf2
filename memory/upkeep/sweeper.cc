// Rounds of retention, counted and logged without a word of what was hidden or removed.
#include "memory/upkeep/sweeper.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "lib/base/process/log.h"

namespace memory {

namespace {

constexpr int64_t kLookMs = 1000;         // at what was used, between the rounds
constexpr size_t kManyUses = 65'536 / 8;  // are written down before the next round

}  // namespace

Sweeper::Sweeper(Tenants& tenants, telemetry::Metrics& metrics, int64_t interval_ms)
    : tenants_(tenants),
      metrics_(metrics),
      thread_([this, interval_ms](const std::stop_token& stop) { Loop(stop, interval_ms); }) {
  pthread_setname_np(thread_.native_handle(), "retention");
}

Sweeper::~Sweeper() {
  thread_.request_stop();
  thread_.join();
}

// What a crash left to be done, such as erasing what was deleted, is done by the file's writer.
void Sweeper::OpenUnclosed(const std::stop_token& stop) {
  for (const std::string& name : tenants_.Unclosed()) {
    if (stop.stop_requested()) return;
    if (auto store = tenants_.Take(name); !store)
      base::LogWarn("a file that was not closed is opened later",
                    {{"reason", store.error().message}});
  }
}

void Sweeper::Loop(const std::stop_token& stop, int64_t interval_ms) {
  OpenUnclosed(stop);
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
      KeepUses();
      continue;
    }
    Round(stop);
    next = steady_clock::now() + std::chrono::milliseconds(interval_ms);
  }
}

// One store at a time: who holds one keeps it from being closed for another.
void Sweeper::KeepUses() {
  std::string name;
  while (std::shared_ptr<Store> store = tenants_.OpenBehind(name)) {
    store->CloseIdleReaders();
    // What cannot be written down stays in memory and is tried again by the next round.
    if (store->CountUses() >= kManyUses) (void)store->KeepUses();
  }
}

void Sweeper::Round(const std::stop_token& stop) {
  int64_t over_cap = 0;
  std::string name;
  while (std::shared_ptr<Store> store = tenants_.OpenBehind(name)) {
    if (stop.stop_requested()) return;
    base::Result<Swept> swept = store->Sweep(stop);
    if (!swept) {
      // What is over stays hidden by the clock; the next round tries again.
      base::LogWarn("retention could not finish a round", {{"reason", swept.error().message}});
      continue;
    }
    over_cap += swept->over_cap;
    Report(*swept);
  }
  metrics_.SetGauge("agent_memory_server_over_cap_rows", static_cast<double>(over_cap));
}

void Sweeper::Report(const Swept& swept) {
  const std::pair<const char*, int64_t> counts[] = {
      {"ttl", swept.lapsed},    {"cap", swept.capped},          {"restored", swept.restored},
      {"purged", swept.purged}, {"revisions", swept.revisions}, {"idempotency", swept.keys}};
  base::Json said = base::Json::object();
  for (auto [reason, rows] : counts) {
    if (rows == 0) continue;
    said[reason] = rows;
    metrics_.Count("agent_memory_server_retention_rows_total", {{"what", reason}},
                   static_cast<double>(rows));
  }
  if (!said.empty()) base::LogInfo("retention", {{"rows", said}});
}

}  // namespace memory
