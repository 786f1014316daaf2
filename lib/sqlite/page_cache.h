// One limit for the page caches of all connections of the process (ADR 43). SQLite's own cache of
// each connection does the work, up to the connection's cache_size; this adds up what they hold
// and, at the limit, empties those that were used least lately.
#pragma once

#include <cstddef>

namespace sqlite {

// 0: no limit, as at the start. Any thread, any time; what is above a new limit goes as pages are
// needed.
void SetPageCacheLimit(size_t bytes);
size_t PageCacheLimit();
// What all caches hold, with SQLite's overhead of each page.
size_t PageCacheBytes();

// Once, before sqlite3_initialize.
void InstallPageCaches();

}  // namespace sqlite
