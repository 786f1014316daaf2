// Send and streams share this state of a request, so that retry, back-pressure and limits are
// written once (ADR 31). The I/O thread never blocks: it adds pieces until the queue is full, and
// then stops reading the connection; the consumer's Pop resumes it. TCP carries the pause on to the
// server.
#include "lib/http/client/answer.h"

#include <algorithm>
#include <utility>

namespace http {
namespace {

constexpr size_t kQueueBytes = 1 << 20;  // unconsumed bytes at which the connection pauses

}  // namespace

Call::Call(std::shared_ptr<OpenCalls> open, std::shared_ptr<CallMonitor> monitor)
    : open_(std::move(open)), monitor_(std::move(monitor)) {
  open_->Enter();
}

Call::~Call() { open_->Leave(); }

void Call::SetHead(Response head) {
  const std::lock_guard lock(monitor_->mutex);
  head_ = std::move(head);
  has_head_ = true;
  received_at_ = Clock::now();
  monitor_->changed.notify_all();
}

bool Call::Add(std::string_view bytes) {
  const std::lock_guard lock(monitor_->mutex);
  if (dropped_) return true;
  pieces_.emplace_back(bytes);
  queued_bytes_ += bytes.size();
  received_at_ = Clock::now();
  monitor_->changed.notify_all();
  return queued_bytes_ < kQueueBytes;
}

void Call::WhenSpace(std::function<void()> resume) {
  {
    const std::lock_guard lock(monitor_->mutex);
    if (!dropped_ && queued_bytes_ >= kQueueBytes) {
      resume_ = std::move(resume);
      return;
    }
  }
  resume();
}

void Call::End(std::optional<base::Error> error, bool may_retry) {
  const std::lock_guard lock(monitor_->mutex);
  if (ended_) return;
  ended_ = true;
  failure_ = std::move(error);
  retriable_ = may_retry;
  monitor_->changed.notify_all();
}

IncomingAnswer::IncomingAnswer(std::string what, Limits limits, bool may_repeat,
                               std::shared_ptr<CallMonitor> monitor, Begin begin)
    : what_(std::move(what)),
      limits_(limits),
      monitor_(std::move(monitor)),
      begin_(std::move(begin)),
      may_repeat_(may_repeat) {}

IncomingAnswer::~IncomingAnswer() { Drop(); }

void IncomingAnswer::Start() {
  Drop();
  auto started = begin_();
  const std::lock_guard lock(monitor_->mutex);
  if (!started) {
    unsent_ = started.error();
    return monitor_->changed.notify_all();
  }
  call_ = std::move(started->call);
  cancel_ = std::move(started->cancel);
}

// Calls `cancel_` and `resume` without the lock, since they run the connection's callbacks.
void IncomingAnswer::Drop() {
  std::shared_ptr<Call> call;
  std::function<void()> resume;
  bool ended = true;
  {
    const std::lock_guard lock(monitor_->mutex);
    call = std::exchange(call_, nullptr);
    if (!call) return;
    call->dropped_ = true;
    ended = call->ended_;
    resume = std::exchange(call->resume_, nullptr);
  }
  if (!ended) cancel_();
  if (resume) resume();
}

Clock::time_point IncomingAnswer::Deadline() const {
  if (!call_ || !call_->has_head_) return std::min(limits_.head_by, limits_.end_by);
  // Counts silence from the last Pop, if later: a slow consumer is no silence of the server.
  const auto idle_by =
      std::max(call_->received_at_, popped_at_) + std::chrono::milliseconds(limits_.idle_ms);
  return std::min(limits_.end_by, idle_by);
}

bool IncomingAnswer::Ready() const {
  if (unsent_) return true;
  if (call_ && (call_->head_ || call_->ended_)) return true;
  // A piece may arrive before the head: they come from different tasks.
  if (head_given_ && !call_->pieces_.empty()) return true;
  return Clock::now() >= Deadline();
}

std::optional<IncomingAnswer::Step> IncomingAnswer::Pop() {
  std::function<void()> resume;
  bool again = false;
  std::optional<Step> step;
  {
    const std::lock_guard lock(monitor_->mutex);
    if (!Ready()) return std::nullopt;
    step = Next(resume);
    const bool broke = call_ && call_->ended_ && call_->retriable_ && !head_given_;
    again = broke && std::exchange(may_repeat_, false);
  }
  if (resume) resume();
  if (!again) return step;
  Start();
  return std::nullopt;
}

IncomingAnswer::Step IncomingAnswer::Next(std::function<void()>& resume) {
  Step step{Step::Kind::kEnd, {}, {}, {}};
  // A complete answer is delivered even after the deadline: it may confirm a write.
  const bool in_time = Clock::now() < limits_.end_by || (call_ && call_->ended_);
  if (unsent_) {
    step.end = *unsent_;
  } else if (call_ && call_->head_ && in_time) {
    step.kind = Step::Kind::kHead;
    step.head = *std::exchange(call_->head_, std::nullopt);
    head_given_ = true;
  } else if (head_given_ && !call_->pieces_.empty() && in_time) {
    step.kind = Step::Kind::kBytes;
    step.bytes = std::move(call_->pieces_.front());
    call_->pieces_.pop_front();
    call_->queued_bytes_ -= step.bytes.size();
    if (call_->queued_bytes_ < kQueueBytes / 2) resume = std::exchange(call_->resume_, nullptr);
  } else if (call_ && call_->ended_) {
    if (call_->failure_) step.end = *call_->failure_;
  } else {
    step.end = base::Error{base::Code::kTimeout, what_ + ": no answer in time"};
  }
  popped_at_ = Clock::now();
  return step;
}

}  // namespace http
