// The one thread that writes to a database file, with group commit: it takes what is queued, runs
// each piece of work in a savepoint of one transaction, commits once, and only then answers all.
#pragma once

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
  struct Options {
    size_t queue = 1024;     // works that may wait; more are refused with kUnavailable
    size_t max_batch = 128;  // works in one transaction
    std::function<void(const base::Error&)> on_sync_failure =
        nullptr;  // the first failed commit that is final
    std::function<void(Database&)> when_idle =
        nullptr;  // after a commit with nothing queued: checkpoint, merge
  };
  // Takes the connection (Access::kWriter).
  Writer(Database database, Options options);
  ~Writer();  // Stop()

  // Runs `work` on the writer's thread inside the batch's transaction and waits for the commit. An
  // error of `work` rolls back its savepoint alone and is returned. After a sync error every call
  // is refused with kUnavailable, for good (reliability §1.2 rule 8). Blocking; any thread but the
  // writer's. T must be movable.
  template <class T>
  base::Result<T> Run(std::function<base::Result<T>(Database&)> work) {
    std::optional<base::Result<T>> answer;
    base::Status committed = RunAny([&](Database& database) -> base::Status {
      answer.emplace(work(database));
      if (!*answer) return answer->error();
      return {};
    });
    if (!committed) return committed.error();
    return std::move(*answer);
  }
  base::Status RunAny(std::function<base::Status(Database&)> work);
  void Stop();  // finishes what is queued, then closes the database
  size_t Queued() const;
  bool Failed() const;  // a sync failed: never again

 private:
  struct Item;
  void Loop();
  void CommitBatch(std::deque<std::shared_ptr<Item>>& batch);
  Database database_;
  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Item>> queue_;
  bool stopping_ = false, failed_ = false;
  std::jthread thread_;
};

}  // namespace sqlite
