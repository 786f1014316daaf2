// The writes of one tenant, with group commit: items that wait together share a transaction and its
// COMMIT, each in a savepoint of its own, and are answered after it. It has no thread: a caller
// that finds nobody at it leads the next batch; for posted items a thread of `workers` does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>

#include "lib/base/process/workers.h"
#include "lib/base/result.h"
#include "lib/postgres/pool.h"
#include "lib/sql/writer.h"

namespace postgres {

// `work` may run again: after an error of a statement in the batch, and after a deadlock, a
// serialization failure or a lost connection before COMMIT, within the deadline.
class Writer final : public sql::Writer {
 public:
  struct Options {
    size_t queue = 1024;      // items that may wait; more are refused with kUnavailable
    size_t max_batch = 128;   // items in one transaction
    int64_t batch_ms = 5000;  // of a batch until COMMIT, retries included; then kUnavailable
    std::function<Scope()> scope = [] { return Scope(); };  // of each transaction
    // Runs last in each transaction; an error rolls it back.
    std::function<base::Status(sql::Database&)> before_commit = nullptr;
    // Called on the caller's thread before an item that consumes space is queued; an error refuses
    // it.
    std::function<base::Status()> admit = nullptr;
  };
  // Both outlive it.
  Writer(Pool& pool, base::Workers& workers, Options options)
      : pool_(pool), workers_(workers), options_(std::move(options)) {}
  ~Writer() override;  // after the queue

  size_t Queued() const override;
  bool Failed() const override { return false; }  // what is on disk is the server's matter

 private:
  struct Item;
  using Batch = std::deque<std::shared_ptr<Item>>;
  // How a batch runs. Eager: all its statements without rows share flights, so an error of one of
  // them may surface in another item; then it runs again, careful.
  enum class Mode { kEager, kCareful };
  enum class Next { kAnswer, kCarefully, kAgain };
  base::Status RunItem(Work work, Space space) override;
  std::future<base::Status> PostItem(Work work, Space space) override;
  base::Result<bool> Enqueue(const std::shared_ptr<Item>& item, Space space);
  static void Answer(Batch& batch);
  void Lead(const Item* own);
  void RunBatch(Batch& batch);
  base::Status Try(Batch& batch, Mode mode, int64_t left_ms, Next& next);
  base::Status RunTransaction(Database& database, Batch& batch, Mode mode);

  Pool& pool_;
  base::Workers& workers_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable left_;  // nobody leads any more
  Batch queue_;
  bool led_ = false;  // somebody runs batches, or was told to
};

}  // namespace postgres
