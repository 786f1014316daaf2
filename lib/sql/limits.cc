// Which limit of a connection has passed.
#include "lib/sql/limits.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace sql {

void Limits::SetDeadline(int64_t milliseconds, std::stop_token stop) {
  Limit& limit = limits_.front();
  limit.stop = std::move(stop);
  limit.deadline_ms = milliseconds == 0 ? 0 : clock_->MonotonicMs() + milliseconds;
}

size_t Limits::Push(int64_t milliseconds, std::stop_token stop, base::Error error) {
  limits_.push_back({clock_->MonotonicMs() + milliseconds, std::move(stop), std::move(error)});
  return limits_.size() - 1;
}

void Limits::Pop(size_t place) {
  CHECK(limits_.size() == place + 1);
  limits_.pop_back();
}

Limits::Limit* Limits::Over() {
  int64_t now_ms = 0;
  for (Limit& limit : limits_) {
    if (limit.stop.stop_requested()) return &limit;
    if (limit.deadline_ms == 0) continue;
    if (now_ms == 0) now_ms = clock_->MonotonicMs();
    if (now_ms > limit.deadline_ms) return &limit;
  }
  return nullptr;
}

int64_t Limits::Left() const {
  int64_t left = INT64_MAX;
  for (const Limit& limit : limits_) {
    if (limit.deadline_ms != 0)
      left = std::min(left, std::max<int64_t>(limit.deadline_ms - clock_->MonotonicMs(), 0));
  }
  return left;
}

}  // namespace sql
