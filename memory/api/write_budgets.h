// Rate limits of writes, a token bucket per budget. gate.cc decides which budget a request charges.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "lib/base/limits/lru.h"
#include "lib/base/process/clock.h"

namespace memory {

class WriteBudgets {
 public:
  struct Limits {
    int64_t per_minute = 0;  // 0: no limit
    int64_t burst = 1;       // at once, after a quiet time; at least 1
  };
  // Beyond `most` budgets the least recently used one is evicted; an evicted bucket is full again.
  static constexpr size_t kMost = 8192;
  WriteBudgets(Limits limits, const base::Clock& clock, size_t most = kMost)
      : limits_(limits), clock_(clock), buckets_(most) {}

  // Charges one write → 0, or charges nothing → milliseconds until the bucket has one. Any thread.
  int64_t Consume(const std::string& budget);
  const Limits& limits() const { return limits_; }

 private:
  struct Bucket {
    double writes = 0;
    int64_t filled_ms = 0;
  };
  const Limits limits_;
  const base::Clock& clock_;
  std::mutex mutex_;
  base::LruMap<Bucket> buckets_;
};

}  // namespace memory
