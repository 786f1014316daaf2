// The backoff of a failed endpoint. Pure: the caller passes the time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace memory {

class EndpointPause {
 public:
  // 1 s after the first consecutive failure, doubled after each further one, at most a minute;
  // `retry_after_ms`: of the endpoint, at most ten minutes.
  void Fail(int64_t now_ms, int64_t retry_after_ms = 0) {
    const int64_t own_ms = std::min<int64_t>(60'000, 1000LL << std::min(failures_, 6));
    ++failures_;
    until_ms_ = now_ms + std::max(own_ms, std::min<int64_t>(retry_after_ms, 600'000));
  }
  void Succeed() { failures_ = 0, until_ms_ = INT64_MIN; }
  // After the pause one caller passes; the others stay paused until its result.
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
