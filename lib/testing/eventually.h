// For what other threads bring about: asks again until it is so.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "lib/base/process/clock.h"

namespace testing {

// False: not within 30 s, which no machine should need.
inline bool Eventually(const std::function<bool()>& condition) {
  const int64_t end_ms = base::SystemClock().MonotonicMs() + 30'000;
  while (base::SystemClock().MonotonicMs() < end_ms) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

}  // namespace testing
