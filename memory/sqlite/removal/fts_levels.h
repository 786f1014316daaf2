// The segments of an FTS5 index, as its structure record says, and what is to be done so that none
// of them holds a word of a deleted row any more. Pure; merging itself is in eraser.cc.
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

// Of the record with id 10 in the index's data table. kInternal: it is none.
base::Result<FtsLevels> ReadFtsLevels(std::string_view record);

enum class FtsErasure {
  kNothing,  // there is no segment
  kRebuild,  // small: making it anew from the rows costs no more than a merge. Or of so many
             // levels, of which each merge of all adds two, that FTS5 will soon read it no more
  kMerge,    // all segments into one
};
FtsErasure ErasureOf(const FtsLevels& levels);

// Whether a merge of all dropped what was deleted: FTS5 keeps the words of deleted rows as marks
// unless it merges into the last level there is, with nothing older beside it.
bool OldestIsLast(const FtsLevels& levels);

}  // namespace memory
