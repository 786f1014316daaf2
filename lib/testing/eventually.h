// Polls a condition that other threads make true.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "lib/base/process/clock.h"

namespace testing {

// False: not true within `timeout_ms`; the default suffices for any machine.
inline bool Eventually(const std::function<bool()>& condition, int64_t timeout_ms = 30'000) {
  const int64_t end_ms = base::SystemClock().MonotonicMs() + timeout_ms;
  while (base::SystemClock().MonotonicMs() < end_ms) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

}  // namespace testing
