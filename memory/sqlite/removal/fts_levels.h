// Reads the segments of an FTS5 index from its structure record and decides how to drop the words
// of deleted rows. Pure; eraser.cc merges.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace memory {

// New segments are written to level 0 and merged into the next; the higher, the older.
struct FtsLevel {
  int64_t segments = 0, pages = 0;
};
using FtsLevels = std::vector<FtsLevel>;

// Parses the record with id 10 of the index's data table. kInternal: malformed.
base::Result<FtsLevels> ReadFtsLevels(std::string_view record);

enum class FtsErasure {
  kNothing,  // no segment
  kRebuild,  // the index is small, so that a rebuild costs no more than a merge; or it nears FTS5's
             // limit of levels, to which each merge of all adds two
  kMerge,    // all segments into one
};
FtsErasure ErasureOf(const FtsLevels& levels);

// Whether a merge of all dropped deleted words: FTS5 keeps them as tombstones unless it merges into
// the last level, without older segments beside it.
bool OldestIsLast(const FtsLevels& levels);

}  // namespace memory
