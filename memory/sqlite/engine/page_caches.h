// The page caches of all stores of the process, which share one limit (ADR 43).
#pragma once

#include <cstddef>

namespace memory {

void LimitPageCaches(size_t bytes);
size_t PageCacheBytes();

}  // namespace memory
