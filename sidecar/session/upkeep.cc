// Each conversation has a transaction of its own, so that a full outbox ends the round and rolls
// back only one of them.
#include "sidecar/session/upkeep.h"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/conversation/sqlite/rows.h"
#include "sidecar/growth/pruning.h"
#include "sidecar/session/sessions.h"

namespace sidecar {
namespace {

using base::Result;
using base::Status;

constexpr int64_t kRoundEveryMs = 60'000;
constexpr int64_t kMostConversations = 1'000;  // in one round
constexpr int64_t kMostChecksums = 50'000;
constexpr int64_t kSumsTogether = 50;  // messages, of up to 512 KiB each, in one transaction
constexpr int64_t kGainOverRestartMs = 24 * 3'600'000;
constexpr int64_t kSaveEveryMs = 600'000;  // rare, so that an idle sidecar hardly writes

void LogFailure(const char* what, const base::Error& error) {
  base::LogWarn(what, {{"reason", error.message}});
}

}  // namespace

SessionUpkeep::SessionUpkeep(State& state, const PolicyWatch& policies, telemetry::Metrics& metrics,
                             const base::Clock& clock, const Options& options,
                             std::function<void()> wake)
    : state_(state),
      policies_(policies),
      metrics_(metrics),
      clock_(clock),
      options_(options),
      wake_(std::move(wake)),
      growth_(state, metrics, options.growth, [this] { return Stopping(); }) {}

SessionUpkeep::~SessionUpkeep() { Stop(); }

void SessionUpkeep::Start() {
  thread_ = std::jthread([this] {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      RunOnce();
      lock.lock();
      stop_.wait_for(lock, std::chrono::milliseconds(kRoundEveryMs), [&] { return stopping_; });
    }
  });
  pthread_setname_np(thread_.native_handle(), "upkeep");
}

void SessionUpkeep::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool SessionUpkeep::Stopping() {
  std::lock_guard lock(mutex_);
  return stopping_;
}

SessionUpkeep::Round SessionUpkeep::RunOnce() {
  Round round;
  options_.each_round();
  round.ended = EndIdle();
  AddChecksums();
  SweepFields();
  const auto aged_ms = Age();
  if (!aged_ms) {
    LogFailure("the retention clock could not be read; no row was evicted", aged_ms.error());
    return round;
  }
  static_cast<GrowthUpkeep::Removed&>(round) = growth_.Run(*aged_ms, clock_.NowMs());
  metrics_.Count("agent_memory_sidecar_idle_sessions_total", {}, static_cast<double>(round.ended));
  return round;
}

int64_t SessionUpkeep::EndIdle() {
  const auto policy = policies_.Current();
  if (options_.session_idle_ms == 0 || !policy) return 0;
  const int64_t now_ms = clock_.NowMs();
  const auto idle = state_.Read([&](sqlite::Database& db) {
    return conversation::SqliteRows(db).UnusedSince("open", now_ms - options_.session_idle_ms,
                                                    kMostConversations);
  });
  if (!idle) return 0;
  int64_t ended = 0;
  for (const std::string& id : *idle) {
    if (Stopping()) break;
    const auto account = PrepareAccount(state_, id, policy->policy);
    const SessionAccount* prepared = account ? account->get() : nullptr;
    const auto done = state_.Write<bool>([&](sqlite::Database& db) {
      return EndIfIdle(db, id, options_.session_idle_ms, {policy->policy, options_.outbox, now_ms},
                       prepared);
    });
    if (!done) {
      LogFailure("an idle session could not be ended; the next round retries", done.error());
      break;
    }
    ended += *done;
  }
  if (ended > 0) wake_();
  return ended;
}

// Adds checksums to messages of older programs. A full volume ends this for the process: such rows
// are served unchecked, and the space is for new rows.
void SessionUpkeep::AddChecksums() {
  for (int64_t rows = 0; !checksums_done_ && rows < kMostChecksums; rows += kSumsTogether) {
    if (Stopping()) return;
    const auto added = state_.Write<int64_t>(
        [](sqlite::Database& db) { return conversation::AddChecksums(db, kSumsTogether); });
    checksums_done_ = added ? *added < kSumsTogether : added.error().code == base::Code::kFull;
    if (!added) return;
  }
}

void SessionUpkeep::SweepFields() {
  if (!options_.sweep_fields) return;
  const auto removed = options_.sweep_fields([this] { return Stopping(); });
  if (!removed) return LogFailure("expired working memory could not be deleted", removed.error());
  metrics_.Count("agent_memory_sidecar_forgotten_total",
                 {{"what", "working_memory"}, {"reason", NameOf(Cut::Reason::kAge)}},
                 static_cast<double>(*removed));
}

// The retention clock advances with the monotonic clock, and by at most a day over a restart.
Result<int64_t> SessionUpkeep::Age() {
  const int64_t now_ms = clock_.NowMs(), monotonic_ms = clock_.MonotonicMs();
  int64_t gain_ms = monotonic_ms - aged_at_ms_;
  if (!aged_ms_) {
    ASSIGN_OR_RETURN(saved_aged_ms_,
                     state_.Read([](sqlite::Database& db) { return LoadRetentionClock(db); }));
    aged_ms_ = saved_aged_ms_ == 0 ? now_ms : saved_aged_ms_;
    gain_ms = kGainOverRestartMs;
  }
  aged_ms_ = AdvanceRetentionClock(*aged_ms_, gain_ms, now_ms);
  aged_at_ms_ = monotonic_ms;
  if (*aged_ms_ < saved_aged_ms_ || *aged_ms_ - saved_aged_ms_ >= kSaveEveryMs) {
    const int64_t aged_ms = *aged_ms_;
    RETURN_IF_ERROR(
        state_.Change([aged_ms](sqlite::Database& db) { return SaveRetentionClock(db, aged_ms); }));
    saved_aged_ms_ = aged_ms;
  }
  return *aged_ms_;
}

}  // namespace sidecar
