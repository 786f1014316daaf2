// A rate limit per minute, evenly spaced, across all workers of the operator.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lib/base/guarded.h"

namespace controller {

// Any thread.
class RateLimiter {
 public:
  explicit RateLimiter(int64_t per_minute) : apart_ms_(60'000 / std::max<int64_t>(1, per_minute)) {}

  // 0: go ahead, and the next one after an interval; else the wait in ms. `now_ms`: monotonic.
  int64_t Take(int64_t now_ms) {
    return next_ms_.With([&](int64_t& next_ms) -> int64_t {
      if (now_ms < next_ms) return next_ms - now_ms;
      next_ms = now_ms + apart_ms_;
      return 0;
    });
  }
  // Returns an unused Take, so that the next one need not wait for it.
  void GiveBack() {
    next_ms_.With([&](int64_t& next_ms) { next_ms -= apart_ms_; });
  }
  int64_t apart_ms() const { return apart_ms_; }

 private:
  const int64_t apart_ms_;
  base::Guarded<int64_t> next_ms_;
};

}  // namespace controller
