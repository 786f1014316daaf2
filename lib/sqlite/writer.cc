// Group commit (DeWitt et al., "Implementation Techniques for Main Memory Database Systems", 1984):
// one sync is shared by everybody who waits while the one before runs.
#include "lib/sqlite/writer.h"

#include <algorithm>

#include "lib/base/log.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

struct Writer::Item {
  std::function<Status(Database&)> work;
  Room room;
  std::promise<Status> done;
  Status outcome;
};

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAgain{1'000}, kLatest{5 * 60'000};
// A log that readers hold: they end within their deadlines, which a checkpoint may wait for, but
// not so long that those who write notice.
constexpr milliseconds kLogAgain{20}, kLogLatest{2'000}, kLogWait{200};
constexpr milliseconds kClosing{30'000};  // for chores
constexpr steady_clock::time_point kNever = steady_clock::time_point::max();
constexpr const char* kNoMoreSyncs =
    "a write could not be synced to the disk: nothing is kept any more, the program restarts";

}  // namespace

Writer::Writer(Database database, Options options)
    : database_(std::move(database)), options_(std::move(options)), thread_([this] { Loop(); }) {
  pthread_setname_np(thread_.native_handle(), "db-writer");
}

Writer::~Writer() { Stop(); }

Status Writer::RunAny(std::function<Status(Database&)> work, Room room) {
  return Post(std::move(work), room).get();
}

std::future<Status> Writer::Post(std::function<Status(Database&)> work, Room room) {
  auto item = std::make_shared<Item>();
  item->work = std::move(work);
  item->room = room;
  std::future<Status> done = item->done.get_future();
  if (Status taken = Enqueue(item); !taken) item->done.set_value(std::move(taken));
  return done;
}

Status Writer::Enqueue(std::shared_ptr<Item> item) {
  if (item->room == Room::kNeeds && options_.admit)
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
  if (!options_.chore) chore_.due = kNever;
  for (bool rested = true;;) {  // since the last commit
    auto awaited = [this] { return stopping_ || !queue_.empty(); };
    std::future<Status> rest;
    Time until = chore_.due;
    const bool may_rest = !rested && options_.when_idle;
    if (may_rest) until = std::min(until, steady_clock::now() + options_.idle);
    if (until == kNever) {
      wake_.wait(lock, awaited);
    } else if (!wake_.wait_until(lock, until, awaited)) {
      if (until == chore_.due) {
        lock.unlock();
        RunChore(false);
        CheckpointWhenLong();
        lock.lock();
        continue;
      }
      rested = options_.admit && !options_.admit(reusable_bytes_);
      if (rested) continue;
      queue_.push_back(std::make_shared<Item>(Item{options_.when_idle, Room::kNeeds, {}, {}}));
      rest = queue_.back()->done.get_future();
    }
    if (queue_.empty()) break;
    Batch batch;
    while (!queue_.empty() && batch.size() < options_.max_batch) {
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    bool refused = failed_;
    lock.unlock();
    if (refused) {
      for (auto& item : batch) item->done.set_value(Error{Code::kUnavailable, kNoMoreSyncs});
    } else {
      CommitBatch(batch);
      if (options_.after_commit) FollowUp();
      if (chore_.due == kNever && options_.chore) chore_.due = {};
      if (steady_clock::now() >= chore_.due) RunChore(false);
      // On a full disk the log's room is what the next delete needs.
      if (was_full_) (void)Checkpoint(Database::Log::kEmpty);
      CheckpointWhenLong();
    }
    rested = rest.valid();
    if (rested) {
      if (Status done = rest.get(); !done)
        base::LogWarn("what was left for a quiet moment failed",
                      {{"reason", done.error().message}});
    }
    lock.lock();
  }
  lock.unlock();
  FinishChores();
  (void)Checkpoint(Database::Log::kEmpty);
}

void Writer::CheckpointWhenLong() {
  if (database_.LogPages() >= options_.checkpoint_pages) (void)Checkpoint(Database::Log::kKeep);
}

// One transaction with a savepoint for each item.
Status Writer::TryToCommit(Batch& batch) {
  database_.ForgetDamage();
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  for (auto& item : batch) {
    item->outcome = [&]() -> Status {
      ASSIGN_OR_RETURN(Transaction savepoint, Transaction::Begin(database_));
      RETURN_IF_ERROR(item->work(database_));
      return savepoint.Commit();
    }();
    // A full disk rolls the whole transaction back, and so does a work that cannot be undone alone:
    // nothing of this batch can be kept.
    if (sqlite3_get_autocommit(database_.handle())) {
      if (database_.MetFull())
        return Error{Code::kFull, "no space is left on the disk: the transaction was rolled back"};
      return Error{Code::kUnavailable,
                   "the transaction was rolled back" +
                       (item->outcome ? "" : ": " + item->outcome.error().message)};
    }
  }
  Status committed = options_.before_commit ? options_.before_commit(database_) : Status();
  if (committed) committed = transaction.Commit();
  // SQLite commits nothing after it met damage in a transaction. That is no failed sync: what was
  // kept before stays, and other works need not meet the damage.
  if (!committed && database_.MetDamage())
    return Error{Code::kUnavailable, "nothing was kept: " + committed.error().message};
  return committed;
}

// The same; after it nothing that could not be synced looks as if it were.
Status Writer::Attempt(Batch& batch) {
  Status committed = TryToCommit(batch);
  bool passing = committed || committed.error().code == Code::kFull ||
                 committed.error().code == Code::kUnavailable;
  if (database_.Broken() || !passing) {
    Fail(committed ? Error{Code::kUnavailable, "the directory could not be synced"}
                   : committed.error());
    return Error{Code::kUnavailable, kNoMoreSyncs};
  }
  return committed;
}

void Writer::CommitBatch(Batch& batch) {
  database_.ForgetFull();
  Status committed = Attempt(batch);
  // A work may refuse with kFull of its own, for a quota or a bounded queue: only the disk counts.
  const bool full = database_.MetFull();
  for (auto& item : batch) was_full_ = was_full_ && (!item->outcome || item->room == Room::kGives);
  was_full_ = was_full_ || full;
  if (full && !database_.Broken()) {
    if (options_.on_full) options_.on_full();
    (void)Checkpoint(Database::Log::kEmpty);
    CommitAgainWithRoom(batch, committed);
  }
  if (auto bytes = database_.ReusableBytes(); bytes) reusable_bytes_ = *bytes;
  for (auto& item : batch) item->done.set_value(committed ? std::move(item->outcome) : committed);
}

// Answers what gives room after another try, and takes it out of the batch.
void Writer::CommitAgainWithRoom(Batch& batch, Status& committed) {
  Batch again, others;
  for (auto& item : batch) {
    bool undone = !committed || (!item->outcome && item->outcome.error().code == Code::kFull);
    (item->room == Room::kGives && undone ? again : others).push_back(std::move(item));
  }
  batch = std::move(others);
  if (again.empty() || Failed()) {
    for (auto& item : again) batch.push_back(std::move(item));
    return;
  }
  Status now = Attempt(again);
  for (auto& item : again) item->done.set_value(now ? std::move(item->outcome) : now);
}

int64_t Writer::Backoff::Later(milliseconds first, milliseconds most) {
  pause = std::clamp(2 * pause, first, most);
  due = steady_clock::now() + pause;
  return pause.count();
}

// Nobody was told of it: only what breaks trust in the file, a failed write or sync, is final.
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
  chore_.due = kNever;
  if (Failed()) return;
  database_.ForgetDamage();
  Result<Chore> left = options_.chore(database_, {std::exchange(log_emptied_, false), closing});
  if (!left) {
    if (database_.Broken()) return Fail(left.error());
    base::LogWarn("what is left to do behind the answers failed; it is tried again",
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

// What cannot be done now is left to the next opening of the file.
void Writer::FinishChores() {
  if (!options_.chore) return;
  const Time latest = steady_clock::now() + kClosing;
  chore_.pause = chore_log_.pause = {};
  do RunChore(true);
  while (chore_.due != kNever && chore_.pause == milliseconds(0) && chore_log_.pause < kLogLatest &&
         steady_clock::now() < latest);
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
