// NowMs is the value at the start of the process plus the monotonic time since then.
#include "lib/base/process/aging_clock.h"

#include <algorithm>

namespace base {
namespace {

int64_t BeginningOf(int64_t saved_ms, int64_t wall_ms) {
  if (saved_ms == 0) return wall_ms;
  return std::max(saved_ms, std::min(wall_ms, saved_ms + AgingClock::kGainOverRestartMs));
}

}  // namespace

AgingClock::AgingClock(const Clock& clock, int64_t saved_ms)
    : clock_(clock),
      begun_ms_(BeginningOf(saved_ms, clock.NowMs())),
      begun_at_ms_(clock.MonotonicMs()) {}

int64_t AgingClock::NowMs() const {
  return begun_ms_ + std::max<int64_t>(clock_.MonotonicMs() - begun_at_ms_, 0);
}

}  // namespace base
