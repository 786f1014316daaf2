// Group commit (DeWitt et al., "Implementation Techniques for Main Memory Database Systems", 1984):
// one sync is shared by everybody who waits while the one before runs.
#include "lib/sqlite/writer.h"

#include "lib/base/log.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Status;

struct Writer::Item {
  std::function<Status(Database&)> work;
  std::promise<Status> done;
  Status outcome;
};

namespace {

// A commit error after which the file's cached pages cannot be trusted any more: fsync failed, or
// writing did, for another reason than space (fsyncgate; reliability §1.1).
bool IsFinal(const Error& error) {
  return error.code != Code::kFull && error.code != Code::kUnavailable;
}

}  // namespace

Writer::Writer(Database database, Options options)
    : database_(std::move(database)), options_(std::move(options)), thread_([this] { Loop(); }) {
  pthread_setname_np(thread_.native_handle(), "db-writer");
}

Writer::~Writer() { Stop(); }

Status Writer::RunAny(std::function<Status(Database&)> work) {
  auto item = std::make_shared<Item>();
  item->work = std::move(work);
  std::future<Status> done = item->done.get_future();
  {
    std::lock_guard lock(mutex_);
    if (failed_)
      return Error{Code::kUnavailable,
                   "the database could not be synced to the disk; the program restarts"};
    if (stopping_) return Error{Code::kUnavailable, "the program is stopping"};
    if (queue_.size() >= options_.queue) {
      return Error{Code::kUnavailable, "more than " + std::to_string(options_.queue) +
                                           " writes are waiting; try again"};
    }
    queue_.push_back(std::move(item));
  }
  wake_.notify_one();
  return done.get();
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
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::deque<std::shared_ptr<Item>> batch;
    while (!queue_.empty() && batch.size() < options_.max_batch) {
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    bool refused = failed_;
    lock.unlock();
    if (refused) {
      for (auto& item : batch)
        item->done.set_value(
            Error{Code::kUnavailable, "the database could not be synced to the disk"});
    } else {
      CommitBatch(batch);
    }
    lock.lock();
    if (queue_.empty() && options_.when_idle && !failed_ && !stopping_) {
      lock.unlock();
      options_.when_idle(database_);
      lock.lock();
    }
  }
}

void Writer::CommitBatch(std::deque<std::shared_ptr<Item>>& batch) {
  auto run = [&]() -> Status {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
    for (auto& item : batch) {
      item->outcome = [&]() -> Status {
        ASSIGN_OR_RETURN(Transaction savepoint, Transaction::Begin(database_));
        RETURN_IF_ERROR(item->work(database_));
        return savepoint.Commit();
      }();
      // A full disk rolls the whole transaction back: nothing of this batch can be kept.
      if (sqlite3_get_autocommit(database_.handle())) {
        return item->outcome ? Status(Error{Code::kFull, "the transaction was rolled back"})
                             : item->outcome;
      }
    }
    return transaction.Commit();
  };
  Status committed = run();
  if (!committed && IsFinal(committed.error())) {
    {
      std::lock_guard lock(mutex_);
      failed_ = true;
    }
    base::LogError("commit failed", {{"reason", committed.error().message}});
    if (options_.on_sync_failure) options_.on_sync_failure(committed.error());
  }
  for (auto& item : batch) item->done.set_value(committed ? std::move(item->outcome) : committed);
}

}  // namespace sqlite
