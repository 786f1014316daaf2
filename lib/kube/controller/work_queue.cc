// Threads around KeyQueue.
#include "lib/kube/controller/work_queue.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "lib/base/process/log.h"

namespace kube {

namespace {

KeyQueue::Limits LimitsOf(const WorkQueue::Options& options) {
  KeyQueue::Limits limits = options.limits;
  limits.resyncs_at_once = static_cast<size_t>(std::max(1, options.workers - 1));
  return limits;
}

constexpr int64_t kNever = INT64_MAX, kLongestWaitMs = 3'600'000;

}  // namespace

WorkQueue::WorkQueue(Work work, Options options, const base::Clock& clock)
    : work_(std::move(work)),
      options_(std::move(options)),
      clock_(clock),
      queue_(LimitsOf(options_)),
      paused_(options_.paused) {}

WorkQueue::~WorkQueue() { Stop(); }

void WorkQueue::Add(const ObjectKey& key, Priority priority) {
  {
    std::lock_guard lock(mutex_);
    ++counts_.adds;
    queue_.Add(key, priority);
    WaitsFrom(key, clock_.MonotonicMs());
  }
  wake_.notify_one();
}

void WorkQueue::AddAfter(const ObjectKey& key, int64_t delay_ms) {
  {
    std::lock_guard lock(mutex_);
    ++counts_.adds;
    const int64_t at_ms = clock_.MonotonicMs() + delay_ms;
    queue_.AddAt(key, at_ms);
    WaitsFrom(key, at_ms);
  }
  wake_.notify_one();  // a worker may be waiting for a later time
}

void WorkQueue::Start() {
  for (int i = 0; i < options_.workers; ++i) {
    threads_.emplace_back([this](std::stop_token stop) { Run(std::move(stop)); });
  }
}

void WorkQueue::Pause() {
  std::lock_guard lock(mutex_);
  paused_ = true;
  abandon_.request_stop();
}

void WorkQueue::Resume() {
  {
    std::lock_guard lock(mutex_);
    if (!std::exchange(paused_, false)) return;
    abandon_ = std::stop_source();
  }
  wake_.notify_all();
}

void WorkQueue::TakeNoMore() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

void WorkQueue::Stop(int64_t grace_ms) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  bool idle = wake_.wait_for(lock, std::chrono::milliseconds(grace_ms),
                             [this] { return queue_.InWork() == 0; });
  if (!idle) abandon_.request_stop();
  lock.unlock();
  threads_.clear();  // requests the stop of each thread, joins
}

QueueStats WorkQueue::stats() const {
  std::lock_guard lock(mutex_);
  QueueStats stats = counts_;
  stats.depth = queue_.Depth();
  stats.delayed = queue_.Delayed();
  stats.in_work = queue_.InWork();
  int64_t now_ms = clock_.MonotonicMs();
  for (const auto& [key, started_ms] : started_ms_) {
    double age_s = static_cast<double>(now_ms - started_ms) / 1000;
    stats.longest_running_s = std::max(stats.longest_running_s, age_s);
    stats.unfinished_s += age_s;
  }
  return stats;
}

void WorkQueue::WaitsFrom(const ObjectKey& key, int64_t at_ms) {
  auto [at, fresh] = ready_ms_.emplace(key, at_ms);
  if (!fresh) at->second = std::min(at->second, at_ms);
}

double WorkQueue::TakeWaited(const ObjectKey& key, int64_t now_ms) {
  auto at = ready_ms_.find(key);
  if (at == ready_ms_.end()) return 0;
  const int64_t waited_ms = std::max<int64_t>(0, now_ms - at->second);
  ready_ms_.erase(at);
  return static_cast<double>(waited_ms) / 1000;
}

void WorkQueue::Run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stopping_ && !stop.stop_requested()) {
    int64_t now_ms = clock_.MonotonicMs();
    auto key = paused_ ? std::nullopt : queue_.Pop(now_ms);
    if (key) {
      started_ms_[*key] = now_ms;
      const double waited_s = TakeWaited(*key, now_ms);
      std::stop_token abandon = abandon_.get_token();
      lock.unlock();
      if (options_.on_taken) options_.on_taken(waited_s);
      WorkOn(*key, std::move(abandon));
      lock.lock();
      continue;
    }
    const int64_t due_ms = paused_ ? kNever : queue_.NextDueMs().value_or(kNever);
    const int64_t wait_ms = std::clamp<int64_t>(due_ms - now_ms, 1, kLongestWaitMs);
    wake_.wait_for(lock, stop, std::chrono::milliseconds(wait_ms), [&] {
      return stopping_ ||
             (!paused_ && (queue_.HasNext() || queue_.NextDueMs().value_or(kNever) != due_ms));
    });
  }
}

void WorkQueue::WorkOn(const ObjectKey& key, std::stop_token abandon) {
  // An exception for one object must not end the work on the others.
  try {
    Finish(key, work_(key, std::move(abandon)));
  } catch (const std::exception& exception) {
    base::LogError("exception while reconciling",
                   {{"key", key.Text()}, {"exception", exception.what()}});
    {
      std::lock_guard lock(mutex_);
      ++counts_.exceptions;
    }
    Finish(key, base::Error{base::Code::kInternal, exception.what()});
  }
}

void WorkQueue::Finish(const ObjectKey& key, const base::Result<When>& result) {
  const char* outcome = "success";
  double seconds = 0;
  {
    std::lock_guard lock(mutex_);
    int64_t now_ms = clock_.MonotonicMs();
    seconds = static_cast<double>(now_ms - started_ms_[key]) / 1000;
    started_ms_.erase(key);
    queue_.Done(key);
    ++counts_.done;
    if (!result) {
      outcome = "error";
      ++counts_.failed;
      ++counts_.retries;
      WaitsFrom(key, now_ms + queue_.Retry(key, now_ms));
    } else {
      queue_.Forget(key);
      if (result->after_ms > 0) {
        outcome = "requeue_after";
        queue_.AddAt(key, now_ms + result->after_ms);
        WaitsFrom(key, now_ms + result->after_ms);
      }
    }
  }
  wake_.notify_all();
  if (options_.on_done) options_.on_done(outcome, seconds);
}

}  // namespace kube
