// Exponential back-off with full jitter (Brooker, "Exponential Backoff And Jitter", AWS 2015).
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace base {

class Backoff {
 public:
  Backoff(int64_t base_ms, int64_t cap_ms, uint64_t seed)
      : base_ms_(base_ms), cap_ms_(cap_ms), random_(seed) {}

  // Uniform in [0, min(cap, base · 2ⁿ)], n raised by each call. Full jitter spreads clients that
  // failed together: with plain doubling all of them would return at the same moment.
  int64_t NextMs() {
    int64_t limit_ms = base_ms_;
    for (int i = 0; i < attempt_ && limit_ms < cap_ms_; ++i) limit_ms *= 2;
    ++attempt_;
    return std::uniform_int_distribution<int64_t>(0, std::min(limit_ms, cap_ms_))(random_);
  }
  void Reset() { attempt_ = 0; }
  int attempt() const { return attempt_; }

 private:
  int64_t base_ms_, cap_ms_;
  int attempt_ = 0;
  std::mt19937_64 random_;
};

}  // namespace base
