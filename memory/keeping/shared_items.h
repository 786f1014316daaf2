// Shared memory of one tenant: values that Agents publish under their names for each other. Not
// observations: no deduplication, no ranking, no revisions. Callers decide access.
#pragma once

#include <string>
#include <vector>

#include "memory/keeping/cells.h"

namespace memory {

inline constexpr int64_t kMostSharedKeys = 10'000;     // of one owner; kFull beyond
inline constexpr int64_t kMostSharedBytes = 16 << 20;  // of one owner: keys and values
inline constexpr int64_t kMostSharedOwners = 1'000;    // of a tenant
extern const CellKind kSharedCells;

// The owner of a cell is the name of an Agent.
class SharedItems : public KeptCells {
 public:
  // Owners with items, from `first` on, in order.
  virtual base::Result<std::vector<std::string>> Owners(const std::string& first, size_t limit) = 0;
  // The items of an owner after key `after`, in order of keys, until `limit` items or `bytes` are
  // exceeded.
  virtual base::Result<std::vector<Cell>> List(const std::string& owner, const std::string& after,
                                               size_t limit, size_t bytes) = 0;

 protected:
  using KeptCells::KeptCells;
};

}  // namespace memory
