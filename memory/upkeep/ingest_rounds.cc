// One turn of each open store after the other while any waits; else it looks a few times a second.
#include "memory/upkeep/ingest_rounds.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "lib/base/process/log.h"
#include "memory/ingest/ingest_turn.h"

namespace memory {

namespace {

constexpr std::chrono::milliseconds kLookForTurns{100}, kAfterFailure{1000};
constexpr const char* kTurnsMetric = "agent_memory_server_ingested_turns_total";

}  // namespace

IngestRounds::IngestRounds(Engine& engine, telemetry::Metrics& metrics)
    : engine_(engine),
      metrics_(metrics),
      thread_([this](const std::stop_token& stop) { Loop(stop); }) {
  pthread_setname_np(thread_.native_handle(), "ingest");
}

IngestRounds::~IngestRounds() {
  thread_.request_stop();
  thread_.join();
}

// → how long to wait for the next round.
std::chrono::milliseconds IngestRounds::Round(const std::stop_token& stop) {
  std::chrono::milliseconds pause = kLookForTurns;
  std::string name;
  while (std::shared_ptr<Store> store = engine_.NextOpen(name)) {
    if (stop.stop_requested()) break;
    if (!store->turns().AnyPending()) continue;
    const auto next = store->turns().Next();
    if (!next) {
      base::LogWarn("turns cannot be read", {{"reason", next.error().message}});
      return kAfterFailure;
    }
    if (!*next) continue;
    const base::Status done = IngestTurn(*store, **next);
    metrics_.Count(kTurnsMetric, {{"result", done ? "done" : "failed"}});
    if (!done) return NoteFailure(*store, **next, done.error());
    pause = {};
  }
  return pause;
}

// A store that takes no writes now is no fault of the turn.
std::chrono::milliseconds IngestRounds::NoteFailure(Store& store, const PendingTurn& turn,
                                                    const base::Error& error) {
  base::LogWarn("the facts of a turn could not be stored; it is tried again",
                {{"turn", turn.id}, {"reason", error.message}});
  if (error.code == base::Code::kUnavailable || error.code == base::Code::kFull)
    return kAfterFailure;
  if (const base::Status noted = store.turns().Fail(turn, error.message); !noted)
    base::LogWarn("that a turn failed could not be written down",
                  {{"reason", noted.error().message}});
  return kAfterFailure;
}

void IngestRounds::Loop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) wake.wait_for(lock, stop, Round(stop), [] { return false; });
}

}  // namespace memory
