// How long an endpoint that failed is left alone. Pure: the caller says what time it is.
#pragma once

#include <algorithm>
#include <cstdint>

namespace memory {

class EndpointPause {
 public:
  // 1 s after the first failure in a row, twice as long after each further one, a minute at most;
  // `asked_ms`: what the endpoint asks for, ten minutes at most.
  void Fail(int64_t now_ms, int64_t asked_ms = 0) {
    const int64_t own_ms = std::min<int64_t>(60'000, 1000LL << std::min(failures_, 6));
    ++failures_;
    until_ms_ = now_ms + std::max(own_ms, std::min<int64_t>(asked_ms, 600'000));
  }
  void Succeed() { failures_ = 0, until_ms_ = INT64_MIN; }
  // One caller is let through when the time is over, the others wait for what it meets.
  bool Enter(int64_t now_ms) {
    if (now_ms < until_ms_) return false;
    if (failures_ > 0) until_ms_ = now_ms + 1000;
    return true;
  }
  bool failing() const { return failures_ > 0; }

 private:
  int failures_ = 0;
  int64_t until_ms_ = INT64_MIN;
};

}  // namespace memory
