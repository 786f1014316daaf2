// What the caches do is lib/sqlite's.
#include "memory/sqlite/engine/page_caches.h"

#include "lib/sqlite/page_cache.h"

namespace memory {

void LimitPageCaches(size_t bytes) { sqlite::SetPageCacheLimit(bytes); }
size_t PageCacheBytes() { return sqlite::PageCacheBytes(); }

}  // namespace memory
