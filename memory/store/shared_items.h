// Shared memory of one tenant: values that Agents publish under their names for each other. Not
// observations: no deduplication, no ranking, no revisions. Callers decide access.
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
  int64_t version = 0;                  // never reused in a tenant
  std::optional<int64_t> over_ms = {};  // expiry time; nullopt: never
};

struct SharedWritten {
  int64_t version = 0;
  bool created = false;
  bool differs = false;  // the condition does not hold: nothing changed
};

// Any thread. Expired values are invisible to every call immediately; jumps of the wall clock do
// not change expiry. Writes return after their commit. Errors: kNotFound, kFull, kUnavailable.
class SharedItems {
 public:
  virtual ~SharedItems() = default;

  // Creates or replaces an item, with a TTL of `ttl_ns` nanoseconds (0: no expiry). Uses owner, key
  // and value of `item`.
  virtual base::Result<SharedWritten> Put(const SharedItem& item, int64_t ttl_ns,
                                          const Precondition& condition) = 0;
  virtual base::Result<SharedWritten> Remove(const std::string& owner, const std::string& key,
                                             const Precondition& condition) = 0;
  virtual base::Result<SharedItem> Get(const std::string& owner, const std::string& key) = 0;
  // Owners with items, from `first` on, in order.
  virtual base::Result<std::vector<std::string>> Owners(const std::string& first, size_t limit) = 0;
  // The items of an owner after key `after`, in order of keys, until `limit` items or `bytes` are
  // exceeded.
  virtual base::Result<std::vector<SharedItem>> List(const std::string& owner,
                                                     const std::string& after, size_t limit,
                                                     size_t bytes) = 0;
};

}  // namespace memory
