// A bounded pool of threads for blocking work. A full queue refuses tasks, so no wait is unbounded.
// A thread starts when no idle thread can take a task, and ends after `idle_ms` without a task,
// except the last one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace base {

class Workers {
 public:
  // `threads`: the maximum. `queue`: the maximum of waiting tasks beside the running ones.
  Workers(const std::string& name, size_t threads, size_t queue, int64_t idle_ms = 10'000);
  ~Workers();  // Stop()

  // False when the queue is full or the pool stops; the task is then dropped. Any thread.
  bool TrySubmit(std::function<void()> task);
  // Runs the queued tasks, refuses new ones, joins the threads. Not from a task.
  void Stop();
  size_t Pending() const;  // queued and running
  size_t Threads() const;

 private:
  void Run();
  // mutex_ is held:
  bool AddThread();
  size_t Alive() const { return threads_.size() - ended_.size(); }
  const std::string name_;
  const size_t most_threads_, capacity_;
  const std::chrono::milliseconds idle_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  size_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
  std::set<std::thread::id> ended_;  // of threads_: ended, not yet joined
};

}  // namespace base
