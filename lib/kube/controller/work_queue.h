// Workers on a keyed queue: calls a function for each key that was added, again later when it asks
// for that or fails. The rules are in key_queue.h.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/kube/controller/key_queue.h"

namespace kube {

// When a key should be looked at again although nothing happens to it.
struct When {
  int64_t after_ms = 0;  // 0: not before something happens
};

struct QueueStats {
  size_t depth = 0, delayed = 0, in_work = 0;
  int64_t adds = 0, done = 0, failed = 0, retries = 0, exceptions = 0;
  double longest_running_s = 0, unfinished_s = 0;  // of what is in work: the oldest, the sum
};

class WorkQueue {
 public:
  // An error means: again, after the key's back-off. An exception that gets out is an error,
  // counted.
  using Work = std::function<base::Result<When>(const ObjectKey& key, std::stop_token stop)>;
  struct Options {
    int workers = 4;  // where there are several, resyncs leave one to edits
    KeyQueue::Limits limits;
    bool paused = false;  // until Resume
    // After each call: "success", "requeue_after", "requeue" or "error" (controller-runtime's
    // words).
    std::function<void(const char* result, double seconds)> on_done;
    // Before each call: how long the key was ready and waited for a worker.
    std::function<void(double seconds)> on_taken;
  };
  WorkQueue(Work work, Options options, const base::Clock& clock = base::SystemClock());
  ~WorkQueue();  // Stop()

  void Add(const ObjectKey& key, Priority priority = Priority::kEdit);  // any thread, any time
  void AddAfter(const ObjectKey& key, int64_t delay_ms);
  void Start();  // until then keys only gather
  // No more keys are taken, and running calls are asked to end at once; returns at once. Keys
  // gather meanwhile.
  void Pause();
  void Resume();
  void TakeNoMore();  // for ever; running calls go on. Returns at once
  // Takes no more keys, lets running calls end (their stop token is set after `grace_ms`), joins.
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
  std::map<ObjectKey, int64_t> ready_ms_;    // of keys that wait: since when, or from when on
  std::map<ObjectKey, int64_t> started_ms_;  // of those in work
  QueueStats counts_;
  bool stopping_ = false, paused_;
  std::stop_source abandon_;  // of the calls that were begun since the last Resume
  std::vector<std::jthread> threads_;
};

}  // namespace kube
