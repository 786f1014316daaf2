// Processes one turn per open store in turn while any waits; else polls a few times a second.
#include "memory/upkeep/ingest_rounds.h"

#include <pthread.h>

#include <condition_variable>
#include <utility>

#include "lib/base/process/log.h"
#include "memory/ingest/ingest_turn.h"

namespace memory {

using base::Code;

namespace {

constexpr std::chrono::milliseconds kLookForTurns{100}, kAfterFailure{1000};
constexpr const char* kTurnsMetric = "agent_memory_server_ingested_turns_total";

}  // namespace

IngestRounds::IngestRounds(Engine& engine, Extractor& extractor, telemetry::Metrics& metrics,
                           size_t at_once, base::ByteBudget* budget)
    : engine_(engine), extractor_(extractor), metrics_(metrics), budget_(budget) {
  for (size_t i = 0; i < at_once; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Loop(stop); });
    pthread_setname_np(threads_.back().native_handle(), "ingest");
  }
}

IngestRounds::~IngestRounds() {
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::jthread& thread : threads_) thread.join();
}

bool IngestRounds::Claim(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto rest = paused_until_.find(name);
  if (rest != paused_until_.end() && std::chrono::steady_clock::now() < rest->second) return false;
  if (!claimed_.insert(name).second) return false;
  if (rest != paused_until_.end()) paused_until_.erase(rest);
  return true;
}

void IngestRounds::Release(const std::string& name, Outcome outcome) {
  const std::lock_guard lock(mutex_);
  claimed_.erase(name);
  if (outcome == Outcome::kFailed)
    paused_until_[name] = std::chrono::steady_clock::now() + kAfterFailure;
}

// Releases the store during the extraction, so that a hanging model keeps no file open. When the
// extractor failed too often on a turn and the dead letters are full, patterns extract it.
IngestRounds::Outcome IngestRounds::IngestNext(const std::string& name,
                                               std::shared_ptr<Store> store,
                                               const std::stop_token& stop) {
  const auto next = store->turns().Next();
  if (!next) {
    base::LogWarn("turns cannot be read", {{"reason", next.error().message}});
    return Outcome::kFailed;
  }
  if (!*next) return Outcome::kNothing;
  const PendingTurn& turn = **next;
  store.reset();
  PatternExtractor patterns;
  Extractor& extractor = turn.tries < kMaxExtractorTries ? extractor_ : patterns;
  auto facts = FactsOfTurn(turn.turn, extractor, stop);
  if (!facts && stop.stop_requested()) return Outcome::kNothing;
  auto opened = engine_.Open(name);
  if (!opened) {
    base::LogWarn("the facts of a turn wait for their store",
                  {{"turn", turn.id}, {"reason", opened.error().message}});
    return Outcome::kFailed;
  }
  store = *std::move(opened);
  const base::Status done =
      facts ? IngestTurn(*store, turn, *std::move(facts)) : base::Status(facts.error());
  metrics_.Count(kTurnsMetric, {{"result", done ? "done" : "failed"}});
  if (done) return Outcome::kDone;
  NoteFailure(*store, turn, done.error(), facts ? kMaxTurnTries : kMaxExtractorTries);
  return Outcome::kFailed;
}

bool IngestRounds::Round(const std::stop_token& stop) {
  bool any = false;
  std::string name;
  while (std::shared_ptr<Store> store = engine_.NextOpen(name)) {
    if (stop.stop_requested()) break;
    if (!store->turns().AnyPending() || !Claim(name)) continue;
    base::ByteCharge charge(budget_);
    const base::ChargeScope scope(&charge);
    const Outcome outcome = IngestNext(name, std::move(store), stop);
    Release(name, outcome);
    any = any || outcome == Outcome::kDone;
  }
  return any;
}

// A store that refuses writes for now does not count against the turn.
void IngestRounds::NoteFailure(Store& store, const PendingTurn& turn, const base::Error& error,
                               int64_t most_tries) {
  base::LogWarn("the facts of a turn could not be stored; the turn is retried",
                {{"turn", turn.id}, {"reason", error.message}});
  if (error.code == Code::kUnavailable || error.code == Code::kFull) return;
  if (const base::Status noted = store.turns().Fail(turn, error.message, most_tries); !noted)
    base::LogWarn("the failure of a turn could not be stored", {{"reason", noted.error().message}});
}

void IngestRounds::Loop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested())
    if (!Round(stop)) wake.wait_for(lock, stop, kLookForTurns, [] { return false; });
}

}  // namespace memory
