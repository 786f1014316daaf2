// Shared memory of one tenant: values that Agents publish under their names for each other. Not
// observations: no deduplication, no ranking, no revisions.
#pragma once

#include "memory/keeping/cells.h"

namespace memory {

inline constexpr int64_t kMostSharedKeys = 10'000;     // of one owner; kFull beyond
inline constexpr int64_t kMostSharedBytes = 16 << 20;  // of one owner: keys and values
inline constexpr int64_t kMostSharedOwners = 1'000;    // of a tenant
extern const CellKind kSharedCells;

}  // namespace memory
