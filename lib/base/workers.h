// A bounded pool of threads for blocking work. A full queue refuses; nothing waits without a limit.
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
  // `queue`: tasks that may wait beside those that run.
  Workers(std::string name, size_t threads, size_t queue);
  ~Workers();  // Stop()

  // False when the queue is full or the pool stops; the task is then dropped. Any thread.
  bool TrySubmit(std::function<void()> task);
  // Runs what is queued, refuses the rest, joins. Not from a task.
  void Stop();
  size_t Pending() const;  // queued and running

 private:
  void Run();
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  size_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace base
