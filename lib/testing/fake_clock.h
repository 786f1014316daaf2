// A clock that only moves when a test moves it.
#pragma once

#include <atomic>

#include "lib/base/process/clock.h"

namespace testing {

class FakeClock : public base::Clock {
 public:
  explicit FakeClock(int64_t now_ms = 1'700'000'000'000) : now_ms_(now_ms), monotonic_ms_(now_ms) {}
  int64_t NowMs() const override { return now_ms_; }
  int64_t MonotonicMs() const override { return monotonic_ms_; }
  void Advance(int64_t ms) {
    now_ms_ += ms;
    monotonic_ms_ += ms;
  }
  void Jump(int64_t ms) { now_ms_ += ms; }  // a change of the wall clock

 private:
  std::atomic<int64_t> now_ms_, monotonic_ms_;
};

}  // namespace testing
