// The one thread that writes to a database file, with group commit: it takes the queued work items,
// runs each in a savepoint of one transaction, commits once, and only then answers all. After the
// answers it checkpoints, reports errors that SQLite's automatic checkpoint would ignore, and runs
// background chores step by step.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "lib/base/result.h"
#include "lib/sql/writer.h"
#include "lib/sqlite/database.h"

namespace sqlite {

// Items that free space skip `admit` and run a second time after `on_full`: they must be
// idempotent.
class Writer final : public sql::Writer {
 public:
  // The answer of a background step: when to call the next one.
  struct Chore {
    enum class Next {
      kNothing,   // after the next commit
      kStep,      // again, not before `after`
      kEmptyLog,  // again once the WAL is truncated; the writer retries until it is
    } next = Next::kNothing;
    std::chrono::milliseconds after{0};
  };
  struct ChoreCall {
    bool log_emptied = false;  // the WAL was just truncated, as the previous call asked
    bool closing = false;      // the writer stops: nothing can be postponed
  };
  struct Options {
    size_t queue = 1024;          // items that may wait; more are refused with kUnavailable
    size_t max_batch = 128;       // items in one transaction
    int checkpoint_pages = 1000;  // of the WAL, 4 KiB each, before a checkpoint
    // While readers keep a longer WAL from being truncated, items that consume space are refused
    // with kUnavailable; at twice the limit all items are. One transaction may exceed it. 0: no
    // limit.
    int64_t max_log_bytes = 0;
    // Readers hold a WAL that exceeds the limit or fills the disk: may end these readers.
    std::function<void()> on_log_held = nullptr;
    // Receives the length of a WAL longer than checkpoint_pages (else 0) after each change.
    std::function<void(int64_t bytes)> on_log = nullptr;
    std::function<void(const base::Error&)> on_sync_failure =
        nullptr;  // called once: after it every item is refused
    // Runs last in each transaction; an error rolls the transaction back.
    std::function<base::Status(Database&)> before_commit = nullptr;
    // Called after each batch and its answers → whether `after_commit` has work to do. Null:
    // always.
    std::function<bool()> answered = nullptr;
    // Runs after each batch and its answers, in its own transaction. An error is logged and rolls
    // back that transaction only; the hook pauses with backoff from 1 s to 5 min.
    std::function<base::Status(Database&)> after_commit = nullptr;
    // Runs once after commits, in its own transaction, when the queue stays empty for `idle`.
    std::function<base::Status(Database&)> when_idle = nullptr;
    std::chrono::milliseconds idle{20};
    // Runs one bounded step outside of a transaction: at the start, after each batch, and when its
    // last answer says. An error is treated as one of `after_commit`.
    std::function<base::Result<Chore>(Database&, const ChoreCall&)> chore = nullptr;
    // Called on the caller's thread before an item that consumes space is queued; an error refuses
    // the item.
    std::function<base::Status(int64_t reusable_bytes)> admit = nullptr;
    std::function<void()> on_full = nullptr;  // the disk is full: may free reserved space
  };
  // Takes the connection (Access::kWriter).
  Writer(Database database, Options options);
  ~Writer();  // Stop()

  // Runs `work` on the writer's thread inside the batch's transaction and waits for the commit. An
  // error of `work` rolls back its savepoint only and is returned. After a sync error every call
  // fails with kUnavailable, permanently. Blocking; any thread but the writer's. T must be movable.
  template <class T>
  base::Result<T> Run(std::function<base::Result<T>(Database&)> work,
                      Space space = Space::kConsumes) {
    std::optional<base::Result<T>> answer;
    base::Status committed = RunAny(
        [&](Database& database) -> base::Status {
          answer.emplace(work(database));
          if (!*answer) return answer->error();
          return {};
        },
        space);
    if (!committed) return committed.error();
    return std::move(*answer);
  }
  base::Status RunAny(std::function<base::Status(Database&)> work, Space space = Space::kConsumes);
  // Calls `step` on the writer's thread outside of transactions, between batches, until it returns
  // true or an error, and waits. kUnavailable when the writer stops. `step` must be short; its
  // captures are destroyed on that thread.
  base::Status RunSteps(std::function<base::Result<bool>(Database&)> step);
  // The same without waiting: `work` outlives the call.
  std::future<base::Status> Post(std::function<base::Status(Database&)> work,
                                 Space space = Space::kConsumes);
  void Stop();  // finishes the queue and checkpoints the WAL
  size_t Queued() const override;
  bool Failed() const override;  // a sync failed: the writer refuses all items

 private:
  base::Status RunItem(Work work, Space space) override { return RunAny(std::move(work), space); }
  std::future<base::Status> PostItem(Work work, Space space) override {
    return Post(std::move(work), space);
  }
  struct Item;
  struct Steps;
  using Batch = std::deque<std::shared_ptr<Item>>;
  void Loop();
  base::Status Enqueue(std::shared_ptr<Item> item);
  base::Status CommitOrFail(Batch& batch);
  base::Status RunTransaction(Batch& batch);
  void TakeBatch(Batch& batch);
  void CommitAndAnswer(Batch& batch);
  base::Status CommitTransaction(Transaction& transaction);
  void RetryFrees(Batch& batch, base::Status& committed);
  void FollowUp();
  void RunChore(bool closing);
  void EmptyLogForChore();
  void FinishChores();
  void TakeSteps();
  void KeepLogShort();
  void ShortenLog(bool tried);
  void EmptyLongLog();
  void EmptyLogForDeletes();
  int LogWait() const;  // milliseconds that a checkpoint waits for readers
  void TellLog();
  bool LogIsHeld() const { return held_log_bytes_ > 0; }
  base::Status Checkpoint(Database::Log log, int wait_ms = 0);
  void Fail(const base::Error& error);
  Database database_;
  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Batch queue_;
  std::deque<std::shared_ptr<Steps>> steps_;
  std::atomic<int64_t> reusable_bytes_{0};
  std::atomic<int64_t> held_log_bytes_{
      0};  // of a WAL beyond max_log_bytes that readers hold; else 0
  // Used by the writer's thread only, down to was_full_.
  using Time = std::chrono::steady_clock::time_point;
  struct Backoff {
    Time due{};
    std::chrono::milliseconds pause{0};
    // → the pause in milliseconds.
    int64_t Later(std::chrono::milliseconds first, std::chrono::milliseconds most);
  };
  Backoff follow_up_, chore_, chore_log_, log_;
  bool log_emptied_ = false;
  bool was_full_ = false;  // since the last commit of an item that consumes space
  bool stopping_ = false, failed_ = false;
  std::jthread thread_;
};

}  // namespace sqlite
