// Background work of the writer's thread: the after-commit hook, chores, and checkpoints of the
// WAL. A failed step is logged and retried; only a failed sync is final.
#include <algorithm>

#include "lib/base/process/log.h"
#include "lib/sqlite/writer.h"

namespace sqlite {

using base::Error;
using base::Result;
using base::Status;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kAgain{1'000}, kLatest{5 * 60'000};
// Retries of a checkpoint that readers block. Readers end within their deadlines; kLogWait is
// short, since writes wait while a checkpoint waits.
constexpr milliseconds kLogAgain{20}, kLogLatest{2'000}, kLongLogLatest{250}, kLogWait{200};
constexpr milliseconds kFirstWait{1'000};  // before the first refusal
constexpr milliseconds kClosing{30'000};   // for chores
constexpr steady_clock::time_point kNoDeadline = steady_clock::time_point::max();

}  // namespace

int64_t Writer::Backoff::Later(milliseconds first, milliseconds most) {
  pause = std::clamp(2 * pause, first, most);
  due = steady_clock::now() + pause;
  return pause.count();
}

// No caller waits for the hook: only a failed write or sync, after which the file is not trusted,
// is final.
void Writer::FollowUp() {
  if (Failed() || steady_clock::now() < follow_up_.due) return;
  database_.ForgetDamage();
  const Status done = [&]() -> Status {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
    RETURN_IF_ERROR(options_.after_commit(database_));
    return transaction.Commit();
  }();
  if (done) {
    follow_up_.pause = {};
    return;
  }
  if (database_.Broken()) return Fail(done.error());
  base::LogWarn("what follows a commit failed; it is tried again",
                {{"reason", done.error().message}, {"in_ms", follow_up_.Later(kAgain, kLatest)}});
}

void Writer::RunChore(bool closing) {
  chore_.due = kNoDeadline;
  if (Failed()) return;
  if (LogIsHeld()) {
    if (!closing) chore_.due = log_.due;
    return;
  }
  database_.ForgetDamage();
  Result<Chore> left = options_.chore(database_, {std::exchange(log_emptied_, false), closing});
  if (!left) {
    if (database_.Broken()) return Fail(left.error());
    base::LogWarn("upkeep after a commit failed; it is retried",
                  {{"reason", left.error().message}, {"in_ms", chore_.Later(kAgain, kLatest)}});
    return;
  }
  chore_.pause = {};
  if (left->next == Chore::Next::kStep) chore_.due = steady_clock::now() + left->after;
  if (left->next == Chore::Next::kEmptyLog) EmptyLogForChore();
}

void Writer::EmptyLogForChore() {
  const milliseconds wait = std::min(chore_log_.pause, kLogWait);
  log_emptied_ = bool(Checkpoint(Database::Log::kEmpty, static_cast<int>(wait.count())));
  if (log_emptied_)
    chore_log_ = {};
  else
    chore_log_.Later(kLogAgain, kLogLatest);
  chore_.due = chore_log_.due;
}

// Unfinished chores wait for the next opening of the file.
void Writer::FinishChores() {
  if (!options_.chore) return;
  const Time latest = steady_clock::now() + kClosing;
  chore_.pause = chore_log_.pause = {};
  do RunChore(true);
  while (chore_.due != kNoDeadline && chore_.pause == milliseconds(0) &&
         chore_log_.pause < kLogLatest && steady_clock::now() < latest);
}

// Retries incomplete checkpoints, with or without new writes.
void Writer::KeepLogShort() {
  const bool held = LogIsHeld();
  const bool tried = log_.due != kNoDeadline && steady_clock::now() < log_.due;  // just now
  if (held && tried) {
    held_log_bytes_ = database_.LogBytes();
    return;
  }
  if (!tried) log_.due = kNoDeadline;
  const bool too_long =
      options_.max_log_bytes > 0 && database_.LogBytes() >= options_.max_log_bytes;
  if (held || too_long)
    EmptyLongLog();
  else if (database_.LogPages() >= options_.checkpoint_pages)
    ShortenLog(tried);
  TellLog();
}

void Writer::ShortenLog(bool tried) {
  (void)Checkpoint(Database::Log::kKeep);
  if (database_.LogPages() == 0)
    log_ = {kNoDeadline};
  else if (!tried)
    log_.Later(kLogAgain, kLogLatest);
}

// Overlapping readers keep SQLite from restarting the WAL, however short each of them is. So the
// checkpoint before the first refusal waits until the current ones end.
int Writer::LogWait() const {
  const milliseconds wait = LogIsHeld() ? std::clamp(log_.pause, kLogAgain, kLogWait) : kFirstWait;
  return static_cast<int>(wait.count());
}

void Writer::TellLog() {
  if (options_.on_log)
    options_.on_log(database_.LogPages() > options_.checkpoint_pages ? database_.LogBytes() : 0);
}

void Writer::EmptyLongLog() {
  if (Checkpoint(Database::Log::kEmpty, LogWait())) {
    if (held_log_bytes_.exchange(0) > 0) base::LogInfo("the log is short again", {});
    log_ = {kNoDeadline};
    return;
  }
  if (Failed()) return;
  TellLog();  // before the first refusal: who is refused finds the length in the figures
  if (held_log_bytes_.exchange(database_.LogBytes()) == 0) {
    log_.pause = {};
    base::LogWarn("readers hold a log that is too long: writes are refused until they end",
                  {{"bytes", database_.LogBytes()}, {"limit", options_.max_log_bytes}});
  }
  if (options_.on_log_held) options_.on_log_held();
  log_.Later(kLogAgain, kLongLogLatest);
}

// A full disk has room for a delete only where the WAL was, and readers keep the WAL: the
// checkpoint waits until the current ones end, and then ends those that are slow.
void Writer::EmptyLogForDeletes() {
  const int wait_ms = static_cast<int>(kFirstWait.count());
  if (Checkpoint(Database::Log::kEmpty, wait_ms) || Failed() || !options_.on_log_held) return;
  options_.on_log_held();
  (void)Checkpoint(Database::Log::kEmpty, wait_ms);
}

}  // namespace sqlite
