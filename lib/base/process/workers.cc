// Deques under one mutex suffice, since tasks are requests of 50 µs or more. Lanes take turns: one
// caller with a thousand requests would make all others wait in a single queue.
#include "lib/base/process/workers.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

#include "lib/base/check.h"

namespace base {

Workers::Workers(const std::string& name, size_t threads, size_t queue, int64_t idle_ms)
    : name_(name.substr(0, 15)), most_threads_(threads), capacity_(queue), idle_(idle_ms) {
  CHECK(threads > 0);
}

Workers::Workers(const std::string& name, size_t threads, size_t queue, Background background)
    : name_(name.substr(0, 15)),
      most_threads_(threads),
      capacity_(queue),
      idle_(10'000),
      background_(background) {
  CHECK(threads > 0);
}

Workers::~Workers() { Stop(); }

bool Workers::HasRoom(const std::string& lane) const {
  // Tasks for idle threads start at once, so they do not count as waiting.
  const size_t most = capacity_ + most_threads_, now = queued_ + running_;
  if (now >= most) return false;
  const auto own = lanes_.find(lane);
  return !background_ || own == lanes_.end() || own->second.size() < most - now;
}

std::function<void()> Workers::PopTask() {
  std::string name = std::move(turns_.front());
  turns_.pop_front();
  const auto lane = lanes_.find(name);
  std::function<void()> task = std::move(lane->second.front());
  lane->second.pop_front();
  --queued_;
  if (lane->second.empty())
    lanes_.erase(lane);
  else
    turns_.push_back(std::move(name));
  return task;
}

bool Workers::TrySubmit(std::function<void()> task, const std::string& lane) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_ || !HasRoom(lane)) return false;
    const size_t idle = Alive() - running_;
    if (queued_ >= idle && Alive() < most_threads_ && !AddThread()) return false;
    Lane& mine = lanes_[lane];
    if (mine.empty()) turns_.push_back(lane);
    mine.push_back(std::move(task));
    ++queued_;
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
  return queued_ + running_;
}

size_t Workers::Threads() const {
  std::lock_guard lock(mutex_);
  return Alive();
}

void Workers::Run() {
  if (background_) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), background_->nice);
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool woken = wake_.wait_for(lock, idle_, [this] { return stopping_ || queued_ > 0; });
    if (!woken && Alive() == 1) continue;
    if (queued_ == 0) {
      ended_.insert(std::this_thread::get_id());
      return;
    }
    std::function<void()> task = PopTask();
    ++running_;
    lock.unlock();
    task();
    task = nullptr;  // destroys its captures outside the lock
    lock.lock();
    --running_;
  }
}

}  // namespace base
