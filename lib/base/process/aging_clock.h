// The clock by which things expire. It does not jump with the wall clock: only monotonic time moves
// it, and a restart by a day at most, so that a wall clock set ahead deletes nothing and one set
// back keeps nothing longer.
#pragma once

#include <cstdint>

#include "lib/base/process/clock.h"

namespace base {

// Any thread.
class AgingClock final : public Clock {
 public:
  static constexpr int64_t kGainOverRestartMs = 24 * 3'600'000LL;

  // `saved_ms`: what NowMs last was in the life before, 0 for the first life, which begins with the
  // wall clock's time. `clock` outlives this.
  AgingClock(const Clock& clock, int64_t saved_ms);
  int64_t NowMs() const override;  // never goes back
  int64_t MonotonicMs() const override { return clock_.MonotonicMs(); }
  // The wall clock's time at which NowMs will be `aged_ms`, if neither is set: for people.
  int64_t WallMs(int64_t aged_ms) const { return clock_.NowMs() + aged_ms - NowMs(); }

 private:
  const Clock& clock_;
  const int64_t begun_ms_;  // NowMs when the monotonic clock was at begun_at_ms_
  const int64_t begun_at_ms_;
};

}  // namespace base
