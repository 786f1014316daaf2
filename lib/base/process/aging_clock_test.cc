// Tests that monotonic time moves the AgingClock, and jumps of the wall clock do not.
#include "lib/base/process/aging_clock.h"

#include <gtest/gtest.h>

namespace base {
namespace {

struct SetClock : Clock {
  int64_t wall_ms = 1'000'000'000'000, monotonic_ms = 50;
  int64_t NowMs() const override { return wall_ms; }
  int64_t MonotonicMs() const override { return monotonic_ms; }
};
constexpr int64_t kYear = 365 * 24 * 3'600'000LL;

TEST(AgingClock, StartsAtWallClockAndFollowsMonotonicTime) {
  SetClock clock;
  const AgingClock aging(clock, 0);
  const int64_t begun_ms = clock.wall_ms;
  EXPECT_EQ(aging.NowMs(), begun_ms);
  clock.monotonic_ms += 1'000;
  for (const int64_t jump : {kYear, -2 * kYear}) {
    clock.wall_ms += jump;
    EXPECT_EQ(aging.NowMs(), begun_ms + 1'000);
    EXPECT_EQ(aging.WallMs(begun_ms + 2'000), clock.wall_ms + 1'000);
  }
}

TEST(AgingClock, RestartAdvancesByADayAtMost) {
  SetClock clock;
  const int64_t saved_ms = clock.wall_ms;
  clock.wall_ms = saved_ms + 5'000;
  EXPECT_EQ(AgingClock(clock, saved_ms).NowMs(), saved_ms + 5'000);
  clock.wall_ms = saved_ms + kYear;
  EXPECT_EQ(AgingClock(clock, saved_ms).NowMs(), saved_ms + AgingClock::kGainOverRestartMs);
  clock.wall_ms = saved_ms - kYear;
  EXPECT_EQ(AgingClock(clock, saved_ms).NowMs(), saved_ms);
}

}  // namespace
}  // namespace base
