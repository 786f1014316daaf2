// Time comes from an injected Clock, so that tests set it. Wall time is milliseconds since 1970
// UTC; monotonic time is for ages and deadlines only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowMs() const = 0;        // wall clock, ms since the epoch
  virtual int64_t MonotonicMs() const = 0;  // never goes back; its zero is arbitrary
};

const Clock& SystemClock();  // lives as long as the process; any thread

// RFC 3339 in UTC: "2026-04-12T10:00:00Z", with ".mmm" when there are milliseconds.
std::string FormatTime(int64_t unix_ms);
// Any RFC 3339 time, with or without a fraction and an offset; kInvalid otherwise.
Result<int64_t> ParseTime(std::string_view text);
// A Go duration ("1h30m", "250ms", "0s", "0") in milliseconds; kInvalid: negative or malformed.
Result<int64_t> ParseDuration(std::string_view text);

}  // namespace base
