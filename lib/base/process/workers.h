// A bounded pool of threads for blocking work. A full queue refuses tasks, so no wait is unbounded.
// Tasks have lanes, one a caller: the lanes take turns, so that no caller waits for all tasks of
// another.
// A thread starts when no idle thread can take a task, and ends after `idle_ms` without a task,
// except the last one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace base {

class Workers {
 public:
  // `threads`: the maximum. `queue`: the maximum of waiting tasks beside the running ones.
  Workers(const std::string& name, size_t threads, size_t queue, int64_t idle_ms = 10'000);
  // Threads that give way to others (`nice` of setpriority), and a queue in which a lane may have
  // as many tasks as there is room for those of others.
  struct Background {
    int nice = 10;
  };
  Workers(const std::string& name, size_t threads, size_t queue, Background background);
  ~Workers();  // Stop()

  // False when the queue or the lane's share is full or the pool stops; the task is then dropped.
  // Any thread.
  bool TrySubmit(std::function<void()> task, const std::string& lane = "");
  // Runs the queued tasks, refuses new ones, joins the threads. Not from a task.
  void Stop();
  size_t Pending() const;  // queued and running
  size_t Threads() const;

 private:
  void Run();
  // mutex_ is held:
  bool AddThread();
  bool HasRoom(const std::string& lane) const;
  std::function<void()> PopTask();
  size_t Alive() const { return threads_.size() - ended_.size(); }
  const std::string name_;
  const size_t most_threads_, capacity_;
  const std::chrono::milliseconds idle_;
  const std::optional<Background> background_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  using Lane = std::deque<std::function<void()>>;
  std::map<std::string, Lane> lanes_;  // none is empty
  std::deque<std::string> turns_;      // each lane once, the next one first
  size_t queued_ = 0;                  // tasks in all lanes
  size_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
  std::set<std::thread::id> ended_;  // of threads_: ended, not yet joined
};

}  // namespace base
