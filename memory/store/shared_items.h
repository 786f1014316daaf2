// Shared memory of one tenant: values that Agents keep under their names for each other. Never
// observations: no deduplication, no ranking, no revisions. Who may do what is not decided here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "memory/store/precondition.h"

namespace memory {

inline constexpr size_t kMaxSharedOwner = 63;          // bytes
inline constexpr size_t kMaxSharedKey = 200;           // characters
inline constexpr size_t kMaxSharedValue = 64 << 10;    // bytes of JSON
inline constexpr int64_t kMostSharedKeys = 10'000;     // of one owner; kFull beyond
inline constexpr int64_t kMostSharedBytes = 16 << 20;  // of one owner: keys and values
inline constexpr int64_t kMostSharedOwners = 1'000;    // of a tenant

struct SharedItem {
  std::string owner, key;
  std::string value;                    // JSON text
  int64_t version = 0;                  // never given twice in a tenant
  std::optional<int64_t> over_ms = {};  // from then on it is not there; nullopt: never
};

struct SharedWritten {
  int64_t version = 0;
  bool created = false;
  bool differs = false;  // the condition does not hold: nothing changed
};

// Any thread. What is over is not there for any call, at once; a wall clock that jumps ends and
// keeps nothing. Writes return after their commit. Errors: kNotFound, kFull, kUnavailable.
class SharedItems {
 public:
  virtual ~SharedItems() = default;

  // Replaces an item or makes it, with a new life of `ttl_ns` nanoseconds (0: for ever). Of `item`
  // owner, key and value are taken.
  virtual base::Result<SharedWritten> Put(const SharedItem& item, int64_t ttl_ns,
                                          const Precondition& condition) = 0;
  virtual base::Result<SharedWritten> Remove(const std::string& owner, const std::string& key,
                                             const Precondition& condition) = 0;
  virtual base::Result<SharedItem> Get(const std::string& owner, const std::string& key) = 0;
  // Those that keep something, from `first` on, in their order.
  virtual base::Result<std::vector<std::string>> Owners(const std::string& first, size_t limit) = 0;
  // Of an owner the items behind key `after`, in the order of keys, until `limit` items or
  // `bytes` are passed.
  virtual base::Result<std::vector<SharedItem>> List(const std::string& owner,
                                                     const std::string& after, size_t limit,
                                                     size_t bytes) = 0;
};

}  // namespace memory
