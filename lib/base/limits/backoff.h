// Exponential back-off with full jitter (Brooker, "Exponential Backoff And Jitter", AWS 2015).
#pragma once

#include <cstdint>
#include <random>

namespace base {

class Backoff {
 public:
  Backoff(int64_t base_ms, int64_t cap_ms, uint64_t seed)
      : base_ms_(base_ms), cap_ms_(cap_ms), random_(seed) {}

  int64_t NextMs();  // uniform in [0, min(cap, base · 2ⁿ)], n raised by each call
  void Reset() { attempt_ = 0; }
  int attempt() const { return attempt_; }

 private:
  int64_t base_ms_, cap_ms_;
  int attempt_ = 0;
  std::mt19937_64 random_;
};

}  // namespace base
