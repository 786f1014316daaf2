// The one thread that writes to a database file, with group commit: it takes what is queued, runs
// each piece of work in a savepoint of one transaction, commits once, and only then answers all. It
// also checkpoints, after the answers, and sees errors that SQLite's own checkpoint would swallow;
// and it does, step by step, what is left to do when nobody asks.
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
#include "lib/sqlite/database.h"

namespace sqlite {

class Writer {
 public:
  // Whether a piece of work needs room on the volume, or gives some back (a delete). What gives
  // room is not held up by `admit` and is run once more after `on_full`: it must be idempotent.
  enum class Room { kNeeds, kGives };
  // What is left to do behind the answers.
  struct Chore {
    enum class Next {
      kNothing,   // until something was committed
      kStep,      // once more, not before `after`
      kEmptyLog,  // once more when the log is empty, however often that has to be tried
    } next = Next::kNothing;
    std::chrono::milliseconds after{0};
  };
  struct ChoreCall {
    bool log_emptied = false;  // just now, as the call before asked
    bool closing = false;      // the last chance: nothing is put off
  };
  struct Options {
    size_t queue = 1024;          // works that may wait; more are refused with kUnavailable
    size_t max_batch = 128;       // works in one transaction
    int checkpoint_pages = 1000;  // of the log, 4 KiB each; then they go into the file
    // With a longer log, which readers hold, work that needs room is refused with kUnavailable (at
    // twice its length all), until they end and it is emptied. One transaction may go beyond. 0:
    // none.
    int64_t max_log_bytes = 0;
    // The log is longer and cannot be emptied: may end those who read it.
    std::function<void()> on_log_held = nullptr;
    // What of the log, beyond checkpoint_pages, is not in the file. After each change.
    std::function<void(int64_t bytes)> on_log = nullptr;
    std::function<void(const base::Error&)> on_sync_failure =
        nullptr;  // the first failed commit that is final
    // Last in each transaction; an error fails it.
    std::function<base::Status(Database&)> before_commit = nullptr;
    // After each batch and its answers, in a transaction of its own: an error is logged, undoes
    // that alone and ends nothing; it is left out for 1 s then, twice as long each time, 5 min at
    // most.
    std::function<base::Status(Database&)> after_commit = nullptr;
    // Once after commits, in a transaction of its own, when nothing came for so long.
    std::function<base::Status(Database&)> when_idle = nullptr;
    std::chrono::milliseconds idle{20};
    // One bounded step, outside of a transaction: at the start, after each batch, and as its answer
    // says, whether anything is asked or not. An error is treated as that of `after_commit`.
    std::function<base::Result<Chore>(Database&, const ChoreCall&)> chore = nullptr;
    // Asked on the caller's thread before work that needs room waits; an error refuses it.
    std::function<base::Status(int64_t reusable_bytes)> admit = nullptr;
    std::function<void()> on_full = nullptr;  // no space left: may give some up
  };
  // Takes the connection (Access::kWriter).
  Writer(Database database, Options options);
  ~Writer();  // Stop()

  // Runs `work` on the writer's thread inside the batch's transaction and waits for the commit. An
  // error of `work` rolls back its savepoint alone and is returned. After a sync error every call
  // is refused with kUnavailable, for good. Blocking; any thread but the
  // writer's. T must be movable.
  template <class T>
  base::Result<T> Run(std::function<base::Result<T>(Database&)> work, Room room = Room::kNeeds) {
    std::optional<base::Result<T>> answer;
    base::Status committed = RunAny(
        [&](Database& database) -> base::Status {
          answer.emplace(work(database));
          if (!*answer) return answer->error();
          return {};
        },
        room);
    if (!committed) return committed.error();
    return std::move(*answer);
  }
  base::Status RunAny(std::function<base::Status(Database&)> work, Room room = Room::kNeeds);
  // Calls `step` on the writer's thread outside of transactions, between batches, until it says
  // that it is done or fails, and waits. kUnavailable when the writer stops. `step` must be short;
  // what it owns is destroyed on that thread.
  base::Status RunSteps(std::function<base::Result<bool>(Database&)> step);
  // The same without waiting: `work` outlives the call.
  std::future<base::Status> Post(std::function<base::Status(Database&)> work,
                                 Room room = Room::kNeeds);
  void Stop();  // finishes what is queued and brings the log into the file
  size_t Queued() const;
  bool Failed() const;  // a sync failed: never again

 private:
  struct Item;
  struct Steps;
  using Batch = std::deque<std::shared_ptr<Item>>;
  void Loop();
  base::Status Enqueue(std::shared_ptr<Item> item);
  base::Status CommitOrFail(Batch& batch);
  base::Status RunTransaction(Batch& batch);
  void TakeBatch(Batch& batch);
  void CommitAndAnswer(Batch& batch);
  void RetryFrees(Batch& batch, base::Status& committed);
  void FollowUp();
  void RunChore(bool closing);
  void EmptyLogForChore();
  void FinishChores();
  void TakeSteps();
  void KeepLogShort();
  void ShortenLog(bool tried);
  void EmptyLongLog();
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
  std::atomic<int64_t> held_log_bytes_{0};  // of a log that is too long; 0: it is not
  // The thread's own, down to was_full_.
  using Time = std::chrono::steady_clock::time_point;
  struct Backoff {
    Time due{};
    std::chrono::milliseconds pause{0};
    // → how long from now.
    int64_t Later(std::chrono::milliseconds first, std::chrono::milliseconds most);
  };
  Backoff follow_up_, chore_, chore_log_, log_;
  bool log_emptied_ = false;
  bool was_full_ = false;  // since the last commit that took room
  bool stopping_ = false, failed_ = false;
  std::jthread thread_;
};

}  // namespace sqlite
