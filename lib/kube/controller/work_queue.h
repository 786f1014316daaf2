// Worker threads on a queue of keys: call a function for each added key, again after the delay that
// the function returns or after a failure. key_queue.h has the rules.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/kube/controller/key_queue.h"

namespace kube {

// The delay until the next call for a key without a change.
struct When {
  int64_t after_ms = 0;  // 0: only after an Add
};

struct QueueStats {
  size_t depth = 0, delayed = 0, in_work = 0;
  int64_t adds = 0, done = 0, failed = 0, retries = 0, exceptions = 0;
  double longest_running_s = 0, unfinished_s = 0;  // ages of keys in work: maximum, sum
};

class WorkQueue {
 public:
  // An error: called again after the key's backoff. An exception counts as an error, too.
  using Work = std::function<base::Result<When>(const ObjectKey& key, std::stop_token stop)>;
  struct Options {
    int workers = 4;  // if several, resyncs leave one to edits
    KeyQueue::Limits limits;
    bool paused = false;  // until Resume
    // After each call: "success", "requeue_after" or "error" (controller-runtime's words).
    std::function<void(const char* result, double seconds)> on_done;
    // Before each call: how long the ready key waited for a worker.
    std::function<void(double seconds)> on_taken;
  };
  WorkQueue(Work work, Options options, const base::Clock& clock = base::SystemClock());
  ~WorkQueue();  // Stop()

  void Add(const ObjectKey& key, Priority priority = Priority::kEdit);  // any thread, any time
  void AddAfter(const ObjectKey& key, int64_t delay_ms);
  void Start();  // before it keys only accumulate
  // Takes no more keys and sets the stop tokens of running calls; returns at once. Keys accumulate.
  void Pause();
  void Resume();
  void TakeNoMore();  // final; running calls continue. Returns at once
  // Takes no more keys, lets running calls end (sets their stop tokens after `grace_ms`), joins.
  void Stop(int64_t grace_ms = 20'000);
  QueueStats stats() const;

 private:
  void Run(std::stop_token stop);
  void WaitsFrom(const ObjectKey& key, int64_t at_ms);
  double TakeWaited(const ObjectKey& key, int64_t now_ms);
  void WorkOn(const ObjectKey& key, std::stop_token abandon);
  void Finish(const ObjectKey& key, const base::Result<When>& result);

  const Work work_;
  const Options options_;
  const base::Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  KeyQueue queue_;
  std::map<ObjectKey, int64_t> ready_ms_;    // of waiting keys: when they became or become ready
  std::map<ObjectKey, int64_t> started_ms_;  // of keys in work
  QueueStats counts_;
  bool stopping_ = false, paused_;
  std::stop_source abandon_;  // of the calls since the last Resume
  std::vector<std::jthread> threads_;
};

}  // namespace kube
