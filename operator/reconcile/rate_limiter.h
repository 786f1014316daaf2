// A rate limit per minute across all workers of the operator: the virtual scheduling of the generic
// cell rate algorithm (ITU-T I.371).
#pragma once

#include <algorithm>
#include <cstdint>

#include "lib/base/guarded.h"

namespace controller {

// Any thread.
class RateLimiter {
 public:
  // `burst`: how many may go ahead at once after a pause; with 1 they are evenly spaced.
  explicit RateLimiter(int64_t per_minute, int64_t burst = 1)
      : apart_ms_(60'000 / std::max<int64_t>(1, per_minute)), early_ms_((burst - 1) * apart_ms_) {}

  // 0: go ahead, and one more after an interval; else the wait in ms. `now_ms`: monotonic.
  int64_t Acquire(int64_t now_ms) {
    return next_ms_.With([&](int64_t& next_ms) -> int64_t {
      if (now_ms < next_ms - early_ms_) return next_ms - early_ms_ - now_ms;
      next_ms = std::max(next_ms, now_ms) + apart_ms_;
      return 0;
    });
  }
  // Returns an unused acquisition, so that the next one need not wait for it.
  void GiveBack() {
    next_ms_.With([&](int64_t& next_ms) { next_ms -= apart_ms_; });
  }
  int64_t apart_ms() const { return apart_ms_; }

 private:
  const int64_t apart_ms_, early_ms_;
  base::Guarded<int64_t> next_ms_;
};

}  // namespace controller
