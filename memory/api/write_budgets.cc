// Token buckets (Turner, "New directions in communications", 1986): a budget fills up by itself.
#include "memory/api/write_budgets.h"

#include <algorithm>
#include <cmath>

namespace memory {

int64_t WriteBudgets::Consume(const std::string& budget) {
  if (limits_.per_minute <= 0) return 0;
  const double per_ms = static_cast<double>(limits_.per_minute) / 60'000;
  const double burst = static_cast<double>(limits_.burst);
  const std::lock_guard lock(mutex_);
  const int64_t now_ms = clock_.MonotonicMs();
  Bucket* bucket = buckets_.Find(budget);
  if (!bucket) {
    buckets_.Put(budget, {burst, now_ms});
    bucket = buckets_.Find(budget);
  }
  const double passed_ms = static_cast<double>(now_ms - bucket->filled_ms);
  bucket->writes = std::min(burst, bucket->writes + passed_ms * per_ms);
  bucket->filled_ms = now_ms;
  if (bucket->writes < 1)
    return std::max<int64_t>(1, static_cast<int64_t>(std::ceil((1 - bucket->writes) / per_ms)));
  bucket->writes -= 1;
  return 0;
}

}  // namespace memory
