// The clock for expiry. Jumps of the wall clock do not move it: it advances with monotonic time,
// and at a restart by at most a day, so that a wall clock set ahead deletes nothing and one set
// back keeps nothing longer.
#pragma once

#include <cstdint>

#include "lib/base/process/clock.h"

namespace base {

// Any thread.
class AgingClock final : public Clock {
 public:
  static constexpr int64_t kGainOverRestartMs = 24 * 3'600'000LL;

  // `saved_ms`: the last NowMs of the previous process; 0: none, the clock starts at the wall
  // clock's time. `clock` outlives this.
  AgingClock(const Clock& clock, int64_t saved_ms);
  int64_t NowMs() const override;  // never goes back
  int64_t MonotonicMs() const override { return clock_.MonotonicMs(); }
  // The wall time at which NowMs reaches `aged_ms`, unless the wall clock is set: for people.
  int64_t WallMs(int64_t aged_ms) const { return clock_.NowMs() + aged_ms - NowMs(); }

 private:
  const Clock& clock_;
  const int64_t begun_ms_;  // NowMs at the monotonic time begun_at_ms_
  const int64_t begun_at_ms_;
};

}  // namespace base
