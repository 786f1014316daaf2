// A deque under one mutex suffices, since tasks are requests of 50 µs and more.
#include "lib/base/process/workers.h"

#include <pthread.h>

#include <system_error>

#include "lib/base/check.h"

namespace base {

Workers::Workers(const std::string& name, size_t threads, size_t queue, int64_t idle_ms)
    : name_(name.substr(0, 15)), most_threads_(threads), capacity_(queue), idle_(idle_ms) {
  CHECK(threads > 0);
}

Workers::~Workers() { Stop(); }

bool Workers::TrySubmit(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    // Tasks for idle threads start at once, so they do not count as waiting.
    if (stopping_ || queue_.size() + running_ >= capacity_ + most_threads_) return false;
    const size_t idle = Alive() - running_;
    if (queue_.size() >= idle && Alive() < most_threads_ && !AddThread()) return false;
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

// False: the system refuses a thread, and the pool has none.
bool Workers::AddThread() {
  // Joins ended threads without blocking: they have released mutex_.
  std::erase_if(threads_, [this](const std::jthread& one) { return ended_.erase(one.get_id()); });
  try {
    threads_.emplace_back([this] { Run(); });
  } catch (const std::system_error&) {
    return !threads_.empty();
  }
  pthread_setname_np(threads_.back().native_handle(), name_.c_str());
  return true;
}

void Workers::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  threads_.clear();  // joins
}

size_t Workers::Pending() const {
  std::lock_guard lock(mutex_);
  return queue_.size() + running_;
}

size_t Workers::Threads() const {
  std::lock_guard lock(mutex_);
  return Alive();
}

void Workers::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool woken = wake_.wait_for(lock, idle_, [this] { return stopping_ || !queue_.empty(); });
    if (!woken && Alive() == 1) continue;
    if (queue_.empty()) {
      ended_.insert(std::this_thread::get_id());
      return;
    }
    std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    task();
    task = nullptr;  // destroys its captures outside the lock
    lock.lock();
    --running_;
  }
}

}  // namespace base
