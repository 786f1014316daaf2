// What merges of traces leave behind a row: hidden rows with its text, and edges that lead through
// it. Everything runs in the caller's transaction.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/sql/database.h"

namespace memory {

inline constexpr int64_t kEdgesAtOnce = 1000;  // about 10 ms of the writer

// Before a row is removed: edges to a merged trace lead from now on to the one that it was merged
// into, others go. At most kEdgesAtOnce. → whether no edge leads to the row any more.
base::Result<bool> LeadEdgesOn(sql::Database& database, int64_t slot);

// Whether more edges lead to the row of this number than LeadEdgesOn takes at once.
base::Result<bool> HasManyEdges(sql::Database& database, int64_t id);

// The hidden rows that have the text of this one or a part of it, by their numbers: those that it
// was merged of, and merged ones (taken apart or deleted since) that were made of one of these.
base::Result<std::vector<int64_t>> FindHiddenParts(sql::Database& database, int64_t id);

}  // namespace memory
