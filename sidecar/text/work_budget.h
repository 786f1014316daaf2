// How much processor time the work on the text of one hook event may take: denial, redaction and
// rules together. Work is counted in bytes, and the clock is looked at every few of them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace sidecar {

// Microseconds that were spent so far, from any start.
using SpentTime = std::function<int64_t()>;

// 8 MiB of ordinary text, the most that a hook carries, take less on a core of today.
inline constexpr int64_t kHookBudgetUs = 250'000;

class WorkBudget {
 public:
  WorkBudget() = default;  // without a limit
  WorkBudget(SpentTime spent, int64_t limit_us)
      : spent_(std::move(spent)), end_us_(spent_() + limit_us) {}

  // Counts work on so many bytes; false once the time is over, and from then on.
  bool Spend(size_t bytes) {
    work_ += bytes;
    if (!spent_ || over_ || work_ < due_) return !over_;
    due_ = work_ + kBytesBetweenLooks;
    over_ = spent_() > end_us_;
    return !over_;
  }
  bool over() const { return over_; }
  size_t work() const { return work_; }

 private:
  static constexpr size_t kBytesBetweenLooks = 4 << 10;

  SpentTime spent_;
  int64_t end_us_ = 0;
  size_t work_ = 0, due_ = 0;
  bool over_ = false;
};

}  // namespace sidecar
