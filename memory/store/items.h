// Key-value items of one tenant, each with a TTL. Not observations: no deduplication, no revisions,
// no part in their ranking. Independent of the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "memory/store/precondition.h"

namespace memory {

inline constexpr size_t kMaxItemKey = 200;                 // characters
inline constexpr size_t kMaxItemValue = 64 << 10;          // bytes of JSON
inline constexpr size_t kMaxItemMetadata = 16 << 10;       // bytes of JSON
inline constexpr int64_t kItemTtlNs = 86'400'000'000'000;  // 24 h, the default
inline constexpr size_t kMaxItemsFound = 100;              // of one query
inline constexpr int64_t kMaxItemsOfProject = 250'000;     // kFull beyond
inline constexpr const char* kDefaultProject = "default";

struct Item {
  std::string key;
  base::Json value;                            // any JSON
  base::Json metadata = base::Json::object();  // an object
  int64_t created_ms = 0, accessed_ms = 0;
  int64_t ttl_ns = kItemTtlNs;  // from created_ms on; 0: no expiry
  int64_t version = 0;          // never reused in a tenant, also not after a delete
};

// The expiry time of an item; nullopt: never.
inline std::optional<int64_t> OverMs(int64_t created_ms, int64_t ttl_ns) {
  constexpr int64_t kNsOfMs = 1'000'000;
  if (ttl_ns == 0) return std::nullopt;
  return created_ms + ttl_ns / kNsOfMs + (ttl_ns % kNsOfMs != 0 ? 1 : 0);
}

struct ItemChange {
  std::optional<base::Json> value, metadata;
  std::optional<int64_t> ttl_ns;
};

// The outcome of a write.
struct ItemWritten {
  Item item;
  bool created = false;
  bool differs = false;  // the condition does not hold: nothing changed
};

struct FoundItem {
  Item item;
  double score = 0;                // 0…1; of a query without words 0
  const char* method = "recency";  // or "lexical"
};

struct FoundItems {
  std::vector<FoundItem> rows;
  bool partial = false;  // cut at the deadline, or at the limit of an answer
};

struct ExportedItem {
  std::string project;
  Item item;
};

// Any thread. Expired items are invisible to every call immediately. Times are the engine's. Writes
// return after their commit. Errors: kNotFound, kFull, kUnavailable.
class Items {
 public:
  virtual ~Items() = default;

  // Store: replaces an item as a whole and restarts its TTL; uses key, value, metadata and ttl of
  // `item`.
  virtual base::Result<ItemWritten> Put(const std::string& project, const Item& item,
                                        const Precondition& condition) = 0;
  // Update: keeps `created_ms`, so that the item may expire immediately.
  virtual base::Result<ItemWritten> Change(const std::string& project, const std::string& key,
                                           const ItemChange& change,
                                           const Precondition& condition) = 0;
  virtual base::Status Forget(const std::string& project, const std::string& key) = 0;

  // Sets the time of the access: in memory immediately, in the file later. A crash may lose it.
  virtual base::Result<Item> Get(const std::string& project, const std::string& key) = 0;
  // Best first, ties by last access. Found items count as accessed. A query without words returns
  // all, the last accessed first, without counting an access.
  virtual base::Result<FoundItems> Retrieve(const std::string& project, const std::string& query,
                                            size_t limit, std::stop_token stop = {}) = 0;

  // Imports items with their times and versions, in one transaction. → for each whether it was
  // stored: existing items stay, and expired ones are skipped.
  virtual base::Result<std::vector<bool>> Import(const std::vector<ExportedItem>& items) = 0;
};

}  // namespace memory
