// A bounded pool of threads for blocking work. A full queue refuses; nothing waits without a limit.
// Threads are made when there is work that no idle one can take.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace base {

class Workers {
 public:
  // `threads`: the most there will be. `queue`: tasks that may wait beside those that run.
  Workers(std::string name, size_t threads, size_t queue);
  ~Workers();  // Stop()

  // False when the queue is full or the pool stops; the task is then dropped. Any thread.
  bool TrySubmit(std::function<void()> task);
  // Runs what is queued, refuses the rest, joins. Not from a task.
  void Stop();
  size_t Pending() const;  // queued and running

 private:
  void Run();
  bool AddThread();  // mutex_ is held
  const std::string name_;
  const size_t most_threads_, capacity_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  size_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace base
