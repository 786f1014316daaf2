// One limit for the page caches of all connections of the process (ADR 43). Each connection has
// SQLite's own cache, up to its cache_size; this layer sums their sizes and, at the limit, empties
// the least recently used ones.
#pragma once

#include <cstddef>

namespace sqlite {

// 0: no limit (the initial state). Any thread, any time; caches shrink to a lower limit as pages
// are requested.
void SetPageCacheLimit(size_t bytes);
size_t PageCacheLimit();
// The bytes of all caches, with SQLite's overhead of each page.
size_t PageCacheBytes();

// Once, before sqlite3_initialize.
void InstallPageCaches();

}  // namespace sqlite
