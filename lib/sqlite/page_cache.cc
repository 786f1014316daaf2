// Wraps SQLite's default page cache (SQLITE_CONFIG_PCACHE2), which belongs to one connection and
// has no lock. The wrapper adds a lock to each cache, so that any thread may empty another
// connection's cache; a call costs one uncontended atomic exchange. SQLite tolerates the loss of
// unpinned pages at any time: with its global LRU, caches of one process take pages from each
// other.
//
// Lock order: a cache's lock, then with try_lock the list's and another cache's: a thread that
// holds one lock never waits for a second.
#include "lib/sqlite/page_cache.h"

#include <sqlite3.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <tuple>

namespace sqlite {

namespace {

constexpr size_t kHeaderBytes = 80;   // approximate overhead of a page
constexpr uint64_t kRestMisses = 64;  // before the next try, after one that freed too little
constexpr size_t kGoalOf = 16;        // a sixteenth of the limit is freed at once

struct Cache {
  sqlite3_pcache* inner = nullptr;
  size_t page_bytes = 0;
  bool purgeable = false;  // false: the pages of an in-memory database
  std::atomic<bool> busy{false};
  std::atomic<uint64_t> used{0};               // last use, in `misses`
  std::atomic<size_t> pages{0};                // written under `busy`
  Cache *before = nullptr, *behind = nullptr;  // in the list
};

sqlite3_pcache_methods2 inner;  // SQLite's own
std::atomic<size_t> limit{0}, sum{0};
std::atomic<uint64_t> misses{1}, rest_until{0};
std::mutex list_mutex;
Cache* list = nullptr;

// The lock of one call on a cache. It waits only while the cache is emptied: some microseconds.
class Use {
 public:
  explicit Use(Cache& cache) : cache_(cache) {
    while (!TryTake(cache)) std::this_thread::yield();
  }
  ~Use() {
    Count(cache_);
    Give(cache_);
  }
  static bool TryTake(Cache& cache) {
    return !cache.busy.exchange(true, std::memory_order_acquire);
  }
  static void Give(Cache& cache) { cache.busy.store(false, std::memory_order_release); }
  static void Count(Cache& cache) {
    const auto now = static_cast<size_t>(inner.xPagecount(cache.inner));
    const size_t before = cache.pages.load(std::memory_order_relaxed);
    if (now == before) return;
    cache.pages.store(now, std::memory_order_relaxed);
    sum.fetch_add((now - before) * cache.page_bytes, std::memory_order_relaxed);
  }

 private:
  Cache& cache_;
};

void Empty(Cache& cache) {
  inner.xShrink(cache.inner);
  Use::Count(cache);
}

// The holder of `own` needs a page: empties the least recently used caches, `own` last.
void MakeRoom(Cache& own, size_t most) {
  using Turn = std::tuple<uint64_t, const Cache*>;
  // While another thread empties caches this one goes on: it exceeds the limit by a few pages.
  const std::unique_lock lock(list_mutex, std::try_to_lock);
  if (!lock) return;
  const size_t goal = most - most / kGoalOf;
  const auto is_before = [](const Turn& one, const Turn& other) {
    return std::get<0>(one) != std::get<0>(other)
               ? std::get<0>(one) < std::get<0>(other)
               : std::less<>()(std::get<1>(one), std::get<1>(other));
  };
  for (Turn last{0, nullptr}; sum > goal;) {
    Cache* next = nullptr;
    Turn turn{0, nullptr};
    for (Cache* cache = list; cache; cache = cache->behind) {
      if (cache == &own || !cache->purgeable || cache->pages == 0) continue;
      const Turn its{cache->used, cache};
      if (!is_before(last, its) || (next && !is_before(its, turn))) continue;
      next = cache;
      turn = its;
    }
    if (!next) break;
    last = turn;
    if (!Use::TryTake(*next)) continue;
    Empty(*next);
    Use::Give(*next);
  }
  if (sum + own.page_bytes > most && own.purgeable) Empty(own);
  // Pauses, since each further page would search the same pinned caches.
  if (sum + own.page_bytes > most) rest_until = misses + kRestMisses;
}

Cache& CacheOf(sqlite3_pcache* cache) { return *reinterpret_cast<Cache*>(cache); }

sqlite3_pcache* Create(int page_bytes, int extra_bytes, int purgeable) {
  auto* cache = new (std::nothrow) Cache;
  if (!cache) return nullptr;
  cache->inner = inner.xCreate(page_bytes, extra_bytes, purgeable);
  if (!cache->inner) {
    delete cache;
    return nullptr;
  }
  cache->page_bytes =
      static_cast<size_t>(page_bytes) + static_cast<size_t>(extra_bytes) + kHeaderBytes;
  cache->purgeable = purgeable != 0;
  const std::lock_guard lock(list_mutex);
  cache->behind = list;
  if (list) list->before = cache;
  list = cache;
  return reinterpret_cast<sqlite3_pcache*>(cache);
}

void Destroy(sqlite3_pcache* of) {
  Cache* cache = &CacheOf(of);
  {
    const std::lock_guard lock(list_mutex);
    (cache->before ? cache->before->behind : list) = cache->behind;
    if (cache->behind) cache->behind->before = cache->before;
  }
  inner.xDestroy(cache->inner);  // the list does not contain it any more
  sum.fetch_sub(cache->pages * cache->page_bytes, std::memory_order_relaxed);
  delete cache;
}

sqlite3_pcache_page* Fetch(sqlite3_pcache* of, unsigned key, int create) {
  Cache& cache = CacheOf(of);
  const Use use(cache);
  cache.used.store(misses.load(std::memory_order_relaxed), std::memory_order_relaxed);
  sqlite3_pcache_page* page = inner.xFetch(cache.inner, key, 0);
  if (page || create == 0) return page;
  const uint64_t miss = misses.fetch_add(1, std::memory_order_relaxed);
  const size_t most = limit.load(std::memory_order_relaxed);
  const auto full = [&] { return most != 0 && sum + cache.page_bytes > most; };
  if (full() && miss >= rest_until) MakeRoom(cache, most);
  // SQLite then spills a dirty page to the WAL and calls again with 2: the page is required.
  if (create == 1 && full()) return nullptr;
  return inner.xFetch(cache.inner, key, create);
}

void Unpin(sqlite3_pcache* of, sqlite3_pcache_page* page, int discard) {
  const Use use(CacheOf(of));
  inner.xUnpin(CacheOf(of).inner, page, discard);
}

void Rekey(sqlite3_pcache* of, sqlite3_pcache_page* page, unsigned old_key, unsigned new_key) {
  const Use use(CacheOf(of));
  inner.xRekey(CacheOf(of).inner, page, old_key, new_key);
}

void Truncate(sqlite3_pcache* of, unsigned first) {
  const Use use(CacheOf(of));
  inner.xTruncate(CacheOf(of).inner, first);
}

void Resize(sqlite3_pcache* of, int pages) {
  const Use use(CacheOf(of));
  inner.xCachesize(CacheOf(of).inner, pages);
}

void Shrink(sqlite3_pcache* of) {
  const Use use(CacheOf(of));
  inner.xShrink(CacheOf(of).inner);
}

int CountPages(sqlite3_pcache* of) {
  const Use use(CacheOf(of));
  return inner.xPagecount(CacheOf(of).inner);
}

int Begin(void*) { return inner.xInit ? inner.xInit(inner.pArg) : SQLITE_OK; }
void End(void*) {
  if (inner.xShutdown) inner.xShutdown(inner.pArg);
}

}  // namespace

void SetPageCacheLimit(size_t bytes) { limit = bytes; }
size_t PageCacheLimit() { return limit; }
size_t PageCacheBytes() { return sum; }

void InstallPageCaches() {
  static sqlite3_pcache_methods2 methods = {1,        nullptr,    Begin, End,   Create,
                                            Resize,   CountPages, Fetch, Unpin, Rekey,
                                            Truncate, Destroy,    Shrink};
  if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &inner) != SQLITE_OK) return;
  sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
}

}  // namespace sqlite
