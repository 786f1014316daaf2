// A budget of processor time for work on a text. Work is counted in bytes; the clock is read once
// per 4 KiB. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace base {

// Microseconds of processor time so far; the start is arbitrary.
using CpuClock = std::function<int64_t()>;

class WorkBudget {
 public:
  WorkBudget() = default;  // without a limit
  WorkBudget(CpuClock spent, int64_t limit_us)
      : spent_(std::move(spent)), end_us_(spent_() + limit_us) {}

  // Counts work on `bytes` bytes. False once the budget is used up, and on every later call.
  bool Spend(size_t bytes) {
    work_ += bytes;
    if (!spent_ || over_ || work_ < due_) return !over_;
    due_ = work_ + kBytesPerClockRead;
    over_ = spent_() > end_us_;
    return !over_;
  }
  bool over() const { return over_; }
  size_t work() const { return work_; }

 private:
  static constexpr size_t kBytesPerClockRead = 4 << 10;

  CpuClock spent_;
  int64_t end_us_ = 0;
  size_t work_ = 0, due_ = 0;
  bool over_ = false;
};

}  // namespace base
