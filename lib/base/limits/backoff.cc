// Computes delays with full jitter.
#include "lib/base/limits/backoff.h"

#include <algorithm>

namespace base {

int64_t Backoff::NextMs() {
  int64_t limit_ms = base_ms_;
  for (int i = 0; i < attempt_ && limit_ms < cap_ms_; ++i) limit_ms *= 2;
  ++attempt_;
  return std::uniform_int_distribution<int64_t>(0, std::min(limit_ms, cap_ms_))(random_);
}

}  // namespace base
