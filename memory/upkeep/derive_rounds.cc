// Processes one run per open store in turn while any waits; else polls a few times a second.
#include "memory/upkeep/derive_rounds.h"

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "lib/base/process/log.h"
#include "memory/derive/derive_run.h"

namespace memory {

using base::Status;

namespace {

constexpr std::chrono::milliseconds kLookForRuns{200};
constexpr std::chrono::seconds kAfterFailedRun{60};
constexpr const char* kRunsMetric = "agent_memory_server_derived_runs_total";

void WarnOfRun(const DeriveWork& work, const base::Error& error) {
  base::LogWarn("the insights of a run could not be stored; the model is queried again",
                {{"run", work.run}, {"reason", error.message}});
}

}  // namespace

DeriveRounds::DeriveRounds(Engine& engine, Deriver& deriver, telemetry::Metrics& metrics,
                           base::ByteBudget* budget)
    : engine_(engine),
      deriver_(deriver),
      metrics_(metrics),
      budget_(budget),
      thread_([this](const std::stop_token& stop) { Loop(stop); }) {
  pthread_setname_np(thread_.native_handle(), "derive");
}

DeriveRounds::~DeriveRounds() {
  thread_.request_stop();
  thread_.join();
}

// Releases the store during the request to the model. If the store is full the run ends without
// insights, instead of spending tokens again.
bool DeriveRounds::DeriveNext(const std::string& name, std::shared_ptr<Store> store,
                              const std::stop_token& stop) {
  const auto next = store->consolidation().NextToDerive();
  if (!next) {
    base::LogWarn("a run whose insights are due cannot be read",
                  {{"reason", next.error().message}});
    return false;
  }
  if (!*next) return true;
  const DeriveWork& work = **next;
  store.reset();
  const auto derived = DeriveRun(work, deriver_, stop);
  if (!derived) return true;  // `stop`: the next start finds the run
  auto opened = engine_.Open(name);
  Status done = opened ? (*opened)->consolidation().Derived(work, *derived) : opened.error();
  if (!done && opened && done.error().code == base::Code::kFull)
    done = (*opened)->consolidation().Derived(work, {{}, "skipped, " + done.error().message});
  const char* result = !done ? "failed" : derived->outcome == "done" ? "done" : "skipped";
  metrics_.Count(kRunsMetric, {{"result", result}});
  if (!done) WarnOfRun(work, done.error());
  return static_cast<bool>(done);
}

bool DeriveRounds::Round(const std::stop_token& stop) {
  bool any = false;
  std::string name;
  while (std::shared_ptr<Store> store = engine_.NextOpen(name)) {
    if (stop.stop_requested()) break;
    if (!store->consolidation().AnyToDerive()) continue;
    const auto rest = paused_until_.find(name);
    if (rest != paused_until_.end() && std::chrono::steady_clock::now() < rest->second) continue;
    paused_until_.erase(name);
    base::ByteCharge charge(budget_);
    const base::ChargeScope scope(&charge);
    const bool done = DeriveNext(name, std::move(store), stop);
    if (!done) paused_until_[name] = std::chrono::steady_clock::now() + kAfterFailedRun;
    any = any || done;
  }
  return any;
}

void DeriveRounds::Loop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested())
    if (!Round(stop)) wake.wait_for(lock, stop, kLookForRuns, [] { return false; });
}

}  // namespace memory
