// Group commit (DeWitt et al., "Implementation Techniques for Main Memory Database Systems", 1984):
// all writes that wait while a sync runs share the next sync.
#include "lib/sqlite/writer.h"

#include <algorithm>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/process/log.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

struct Writer::Item {
  std::function<Status(Database&)> work;
  Space space;
  std::promise<Status> done;
  Status outcome;
};

struct Writer::Steps {
  std::function<Result<bool>(Database&)> step;
  std::promise<Status> done;
};

namespace {

using std::chrono::steady_clock;

constexpr steady_clock::time_point kNever = steady_clock::time_point::max();
constexpr const char* kNoMoreSyncs =
    "a write could not be synced to the disk: further writes would not be durable, the program "
    "restarts";

}  // namespace

Writer::Writer(Database database, Options options)
    : database_(std::move(database)), options_(std::move(options)), thread_([this] { Loop(); }) {
  pthread_setname_np(thread_.native_handle(), "db-writer");
}

Writer::~Writer() { Stop(); }

Status Writer::RunAny(std::function<Status(Database&)> work, Space space) {
  // What `work` reads counts for the caller's request, which waits meanwhile.
  auto charged = [work = std::move(work),
                  charge = base::ByteCharge::OfThisThread()](Database& database) {
    const base::ChargeScope scope(charge);
    return work(database);
  };
  return Post(std::move(charged), space).get();
}

std::future<Status> Writer::Post(std::function<Status(Database&)> work, Space space) {
  auto item = std::make_shared<Item>();
  item->work = std::move(work);
  item->space = space;
  std::future<Status> done = item->done.get_future();
  if (Status taken = Enqueue(item); !taken) item->done.set_value(std::move(taken));
  return done;
}

Status Writer::RunSteps(std::function<Result<bool>(Database&)> step) {
  auto steps = std::make_shared<Steps>();
  steps->step = std::move(step);
  {
    std::lock_guard lock(mutex_);
    if (failed_) return Error{Code::kUnavailable, kNoMoreSyncs};
    if (stopping_) return Error{Code::kUnavailable, "the program is stopping"};
    steps_.push_back(steps);
  }
  wake_.notify_one();
  return steps->done.get_future().get();
}

// Runs one step of the first in the queue.
void Writer::TakeSteps() {
  std::shared_ptr<Steps> steps;
  bool stopping = false;
  {
    std::lock_guard lock(mutex_);
    if (steps_.empty()) return;
    steps = steps_.front();
    stopping = stopping_ || failed_;
  }
  Result<bool> done = Error{Code::kUnavailable, "the program is stopping"};
  if (!stopping) done = steps->step(database_);
  if (done && !*done) return;
  {
    std::lock_guard lock(mutex_);
    steps_.pop_front();
  }
  steps->step = nullptr;  // destroys its captures on this thread
  steps->done.set_value(done ? Status() : Status(done.error()));
}

Status Writer::Enqueue(std::shared_ptr<Item> item) {
  const int64_t held = held_log_bytes_, most = options_.max_log_bytes;
  if (held > 0 && (item->space == Space::kConsumes || held >= 2 * most)) {
    return Error{Code::kUnavailable, "the WAL of this file has " + std::to_string(held) +
                                         " bytes, the limit (max-log) is " + std::to_string(most) +
                                         ": a long read holds it; try again"};
  }
  if (item->space == Space::kConsumes && options_.admit)
    RETURN_IF_ERROR(options_.admit(reusable_bytes_));
  {
    std::lock_guard lock(mutex_);
    if (failed_) return Error{Code::kUnavailable, kNoMoreSyncs};
    if (stopping_) return Error{Code::kUnavailable, "the program is stopping"};
    if (queue_.size() >= options_.queue) {
      return Error{Code::kUnavailable, "more than " + std::to_string(options_.queue) +
                                           " writes are waiting; try again"};
    }
    queue_.push_back(std::move(item));
  }
  wake_.notify_one();
  return {};
}

void Writer::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

size_t Writer::Queued() const {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

bool Writer::Failed() const {
  std::lock_guard lock(mutex_);
  return failed_;
}

void Writer::Loop() {
  std::unique_lock lock(mutex_);
  log_.due = kNever;
  if (!options_.chore) chore_.due = kNever;
  for (bool rested = true;;) {  // since the last commit
    auto awaited = [this] { return stopping_ || !queue_.empty() || !steps_.empty(); };
    std::future<Status> rest;
    Time until = std::min(chore_.due, log_.due);
    const bool may_rest = !rested && options_.when_idle;
    if (may_rest) until = std::min(until, steady_clock::now() + options_.idle);
    if (until == kNever) {
      wake_.wait(lock, awaited);
    } else if (!wake_.wait_until(lock, until, awaited)) {
      if (until == chore_.due || until == log_.due) {
        lock.unlock();
        if (until == chore_.due) RunChore(false);
        KeepLogShort();
        lock.lock();
        continue;
      }
      if (LogIsHeld()) {
        rested = true;
        continue;
      }
      rested = options_.admit && !options_.admit(reusable_bytes_);
      if (rested) continue;
      queue_.push_back(std::make_shared<Item>(Item{options_.when_idle, Space::kConsumes, {}, {}}));
      rest = queue_.back()->done.get_future();
    }
    if (queue_.empty() && !steps_.empty()) {
      lock.unlock();
      TakeSteps();
      lock.lock();
      continue;
    }
    if (queue_.empty()) break;
    Batch batch;
    while (!queue_.empty() && batch.size() < options_.max_batch) {
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    lock.unlock();
    TakeBatch(batch);
    rested = rest.valid();
    if (rested) {
      if (Status done = rest.get(); !done)
        base::LogWarn("work that was deferred to an idle moment failed",
                      {{"reason", done.error().message}});
    }
    lock.lock();
  }
  lock.unlock();
  FinishChores();
  (void)Checkpoint(Database::Log::kEmpty);
}

// Commits, answers, then runs the hooks.
void Writer::TakeBatch(Batch& batch) {
  if (Failed()) {
    for (auto& item : batch) item->done.set_value(Error{Code::kUnavailable, kNoMoreSyncs});
    return;
  }
  CommitAndAnswer(batch);
  if (options_.after_commit && !LogIsHeld() && (!options_.answered || options_.answered()))
    FollowUp();
  if (chore_.due == kNever && options_.chore) chore_.due = {};
  if (steady_clock::now() >= chore_.due) RunChore(false);
  // On a full disk the next delete needs the space of the WAL. Short of a limit, new writes do: a
  // checkpointed WAL keeps its length otherwise.
  if (was_full_ || (options_.admit && !options_.admit(reusable_bytes_)))
    (void)Checkpoint(Database::Log::kEmpty);
  KeepLogShort();
  TakeSteps();
}

// One transaction with a savepoint for each item.
Status Writer::RunTransaction(Batch& batch) {
  database_.ForgetDamage();
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  for (auto& item : batch) {
    item->outcome = [&]() -> Status {
      ASSIGN_OR_RETURN(Transaction savepoint, Transaction::Begin(database_));
      RETURN_IF_ERROR(item->work(database_));
      return savepoint.Commit();
    }();
    // A full disk rolls the whole transaction back, and so does an item whose savepoint cannot be
    // rolled back: the batch fails.
    if (sqlite3_get_autocommit(database_.handle())) {
      if (database_.MetFull())
        return Error{Code::kFull, "no space is left on the disk: the transaction was rolled back"};
      return Error{Code::kUnavailable,
                   "the transaction was rolled back" +
                       (item->outcome ? "" : ": " + item->outcome.error().message)};
    }
  }
  Status committed = options_.before_commit ? options_.before_commit(database_) : Status();
  if (committed) committed = CommitTransaction(transaction);
  // SQLite commits no transaction in which it found corruption. That is no failed sync: earlier
  // commits stay, and other items may not touch the corrupt pages.
  if (!committed && database_.MetDamage())
    return Error{Code::kUnavailable, "nothing was kept: " + committed.error().message};
  return committed;
}

// Counts inside of the transaction, where the count takes no locks of its own.
Status Writer::CommitTransaction(Transaction& transaction) {
  const Result<int64_t> reusable = database_.ReusableBytes();
  RETURN_IF_ERROR(transaction.Commit());
  if (reusable) reusable_bytes_ = *reusable;
  return {};
}

// RunTransaction; after it nothing that could not be synced looks as if it were.
Status Writer::CommitOrFail(Batch& batch) {
  Status committed = RunTransaction(batch);
  bool passing = committed || committed.error().code == Code::kFull ||
                 committed.error().code == Code::kUnavailable;
  if (database_.Broken() || !passing) {
    Fail(committed ? Error{Code::kUnavailable, "the directory could not be synced"}
                   : committed.error());
    return Error{Code::kUnavailable, kNoMoreSyncs};
  }
  return committed;
}

void Writer::CommitAndAnswer(Batch& batch) {
  database_.ForgetFull();
  Status committed = CommitOrFail(batch);
  // An item may fail with kFull for a quota or a bounded queue: only a full disk counts here.
  const bool full = database_.MetFull();
  for (auto& item : batch)
    was_full_ = was_full_ && (!item->outcome || item->space == Space::kFrees);
  was_full_ = was_full_ || full;
  if (full && !database_.Broken()) {
    if (options_.on_full) options_.on_full();
    const bool frees =
        std::ranges::any_of(batch, [](auto& item) { return item->space == Space::kFrees; });
    if (frees)
      EmptyLogForDeletes();
    else
      (void)Checkpoint(Database::Log::kEmpty);
    RetryFrees(batch, committed);
  }
  // What chores freed meanwhile counts although nothing was committed.
  if (!committed)
    if (auto bytes = database_.ReusableBytes(); bytes) reusable_bytes_ = *bytes;
  for (auto& item : batch) item->done.set_value(committed ? std::move(item->outcome) : committed);
}

// Retries the items that free space, answers them, and removes them from the batch.
void Writer::RetryFrees(Batch& batch, Status& committed) {
  Batch again, others;
  for (auto& item : batch) {
    bool undone = !committed || (!item->outcome && item->outcome.error().code == Code::kFull);
    (item->space == Space::kFrees && undone ? again : others).push_back(std::move(item));
  }
  batch = std::move(others);
  if (again.empty() || Failed()) {
    for (auto& item : again) batch.push_back(std::move(item));
    return;
  }
  Status now = CommitOrFail(again);
  for (auto& item : again) item->done.set_value(now ? std::move(item->outcome) : now);
}

Status Writer::Checkpoint(Database::Log log, int wait_ms) {
  if (Failed()) return Error{Code::kUnavailable, kNoMoreSyncs};
  Status copied = database_.Checkpoint(log, wait_ms);
  if (database_.Broken()) Fail(copied ? Error{Code::kUnavailable, "sync"} : copied.error());
  return copied;
}

void Writer::Fail(const Error& error) {
  {
    std::lock_guard lock(mutex_);
    if (failed_) return;
    failed_ = true;
  }
  base::LogError("commit failed", {{"reason", error.message}});
  if (options_.on_sync_failure) options_.on_sync_failure(error);
}

}  // namespace sqlite
