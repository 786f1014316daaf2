// Key-value items of one tenant: what an agent stores under a key, with a life of its own. Never
// observations: no deduplication, no revisions, no part in their ranking. No engine shows here.
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
inline constexpr int64_t kItemTtlNs = 86'400'000'000'000;  // 24 h, when nothing is said
inline constexpr size_t kMaxItemsFound = 100;              // of one question
inline constexpr int64_t kMaxItemsOfProject = 250'000;     // kFull beyond
inline constexpr const char* kDefaultProject = "default";

struct Item {
  std::string key;
  base::Json value;                            // any JSON
  base::Json metadata = base::Json::object();  // an object
  int64_t created_ms = 0, accessed_ms = 0;
  int64_t ttl_ns = kItemTtlNs;  // from created_ms on; 0: for ever
  int64_t version = 0;          // never given twice in a tenant: another life of a key has others
};

// When an item is over; nullopt: never.
inline std::optional<int64_t> OverMs(int64_t created_ms, int64_t ttl_ns) {
  constexpr int64_t kNsOfMs = 1'000'000;
  if (ttl_ns == 0) return std::nullopt;
  return created_ms + ttl_ns / kNsOfMs + (ttl_ns % kNsOfMs != 0 ? 1 : 0);
}

struct ItemChange {
  std::optional<base::Json> value, metadata;
  std::optional<int64_t> ttl_ns;
};

// What a write came to.
struct ItemWritten {
  Item item;
  bool created = false;
  bool differs = false;  // the condition does not hold: nothing changed
};

struct FoundItem {
  Item item;
  double score = 0;                // 0…1; of a question without words 0
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

// Any thread. What is over is not there for any call, at once. Times are the engine's. Writes
// return after their commit. Errors: kNotFound, kFull, kUnavailable.
class Items {
 public:
  virtual ~Items() = default;

  // Store: replaces all of an item and begins a new life; of `item` the key, value, metadata and
  // ttl are taken.
  virtual base::Result<ItemWritten> Put(const std::string& project, const Item& item,
                                        const Precondition& condition) = 0;
  // Update: `created_ms` stays, so that the item may be over at once.
  virtual base::Result<ItemWritten> Change(const std::string& project, const std::string& key,
                                           const ItemChange& change,
                                           const Precondition& condition) = 0;
  virtual base::Status Forget(const std::string& project, const std::string& key) = 0;

  // Sets when the item was accessed: in memory at once, in the file soon. A crash forgets that.
  virtual base::Result<Item> Get(const std::string& project, const std::string& key) = 0;
  // Best first; equals: the last accessed first. What is found was accessed. Without words in the
  // query: all, the last accessed first, and none of them was accessed by that.
  virtual base::Result<FoundItems> Retrieve(const std::string& project, const std::string& query,
                                            size_t limit, std::stop_token stop = {}) = 0;

  // Takes items as they are, with their times and versions; → for each whether it was taken: an
  // item that is there stays as it is, and what is over is left out. One transaction.
  virtual base::Result<std::vector<bool>> Import(const std::vector<ExportedItem>& items) = 0;
};

}  // namespace memory
