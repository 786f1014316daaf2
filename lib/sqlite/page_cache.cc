// A layer over SQLite's default page cache (SQLITE_CONFIG_PCACHE2). That cache is one connection's
// and has no lock; here each has one of its own, so that whoever needs room may empty another's.
// It costs a connection one uncontended atomic exchange a call. SQLite bears the loss of any page
// that is not pinned, at any time: its shared cache of one process does the same.
//
// Locks: a cache's, then the list's and another cache's if they are free: who has one never waits
// for a second.
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

constexpr size_t kHeaderBytes = 80;   // of a page, beside what SQLite asks for: about
constexpr uint64_t kRestMisses = 64;  // after a search for room that found too little
constexpr size_t kGoalOf = 16;        // a sixteenth of the limit is freed at once

struct Cache {
  sqlite3_pcache* inner = nullptr;
  size_t page_bytes = 0;
  bool purgeable = false;  // false: it is no cache but a database in memory
  std::atomic<bool> busy{false};
  std::atomic<uint64_t> used{0};               // when last, by `misses`
  std::atomic<size_t> pages{0};                // written under `busy`
  Cache *before = nullptr, *behind = nullptr;  // in the list
};

sqlite3_pcache_methods2 inner;  // SQLite's own
std::atomic<size_t> limit{0}, sum{0};
std::atomic<uint64_t> misses{1}, rest_until{0};
std::mutex list_mutex;
Cache* list = nullptr;

// One call on a cache. The wait is for a cache that is being emptied: some microseconds.
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

// Whoever holds `own` needs a page. The caches that were used least lately are emptied, its own
// last.
void MakeRoom(Cache& own, size_t most) {
  using Turn = std::tuple<uint64_t, const Cache*>;
  // Who finds somebody else at it goes on: what comes above the limit meanwhile is a few pages.
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
  // What is pinned now would be looked through at each page.
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
  inner.xDestroy(cache->inner);  // nobody else finds it any more
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
  // SQLite then writes a changed page to the log, which frees one, and asks with 2: it needs it.
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
