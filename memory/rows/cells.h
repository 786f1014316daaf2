// The rows of one kind of cell: a JSON value under a key of an owner, with a version and an expiry.
// The seam between what cells mean (memory/keeping) and an engine. Keys are (owner, key).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "memory/rows/host.h"

namespace memory {

struct Cell {
  std::string owner, key;
  std::string value;                       // JSON text
  int64_t version = 0;                     // never reused in a tenant, also not after a removal
  std::optional<int64_t> expires_ms = {};  // by the clock of expiry; nullopt: never
  int64_t ttl_ns = 0;                      // from the creation on; 0: no expiry
  // The engine of shared memory stores neither these nor the TTL. Times are of the wall clock.
  std::string metadata = "{}";  // JSON text, an object
  int64_t created_ms = 0, accessed_ms = 0;
};

// The size that limits count.
inline int64_t BytesOf(const Cell& cell) {
  return static_cast<int64_t>(cell.key.size() + cell.value.size());
}

// An engine counts what its kind of cell limits, with expired cells; the rest is 0.
struct CellTotals {
  int64_t cells = 0, bytes = 0;  // of one owner
  int64_t owners = 0;            // of the tenant
};

// Bound to one transaction or snapshot: a read sees the writes before it, and whoever opened the
// transaction commits it, or rolls it back after an error. One thread. Errors: kUnavailable,
// kTimeout, kFull, kInternal.
class Cells {
 public:
  virtual ~Cells() = default;
  // Expired or not.
  virtual base::Result<std::optional<Cell>> Find(const std::string& owner,
                                                 const std::string& key) = 0;
  virtual base::Status Save(const Cell& cell) = 0;  // creates or replaces
  virtual base::Status Remove(const std::string& owner, const std::string& key) = 0;
  // Notes an access in memory, which Find sees; it is written later, and a crash may lose it. For
  // an engine that stores times of accesses.
  virtual base::Status Touch(const Cell&, int64_t /*accessed_ms*/) { return {}; }
  virtual base::Result<CellTotals> TotalsOf(const std::string& owner) = 0;
  // Removes at most `limit` cells with `expires_ms` ≤ `now_ms`, of one owner or (empty) of all. →
  // how many.
  virtual base::Result<int64_t> RemoveExpired(const std::string& owner, int64_t now_ms,
                                              int64_t limit) = 0;
  // Owners with cells, from `first` on, in order; for an engine that lists its kind, as List.
  virtual base::Result<std::vector<std::string>> Owners(const std::string& /*first*/,
                                                        size_t /*limit*/) {
    return std::vector<std::string>();
  }
  // The cells of an owner after key `after` that are not expired at `now_ms`, in order of keys,
  // until `limit` cells or `bytes` are exceeded.
  virtual base::Result<std::vector<Cell>> List(const std::string& /*owner*/,
                                               const std::string& /*after*/, int64_t /*now_ms*/,
                                               size_t /*limit*/, size_t /*bytes*/) {
    return std::vector<Cell>();
  }
  // Raises the tenant's last version to at least `to`, or (0) by one. → the last version.
  virtual base::Result<int64_t> RaiseVersion(int64_t to) = 0;
};

using CellHost = RowHost<Cells>;

}  // namespace memory
