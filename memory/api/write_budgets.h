// What an agent may write a minute: the budgets of writes as token buckets. Who is asked about what
// is in gate.cc.
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
  // Of more budgets than `most` the one that was asked least recently is forgotten: it is full.
  static constexpr size_t kMost = 8192;
  WriteBudgets(Limits limits, const base::Clock& clock, size_t most = kMost)
      : limits_(limits), clock_(clock), buckets_(most) {}

  // Takes one write out of a budget → 0, or takes nothing → milliseconds until there is one. Any
  // thread.
  int64_t Take(const std::string& budget);
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
