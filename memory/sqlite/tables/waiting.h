// Keeps the full-text index equal to the live rows. A new row first waits: together rows cost FTS5
// a third of what they cost one by one (ADR 0015). Everything
// runs in the caller's transaction.
#pragma once

#include <vector>

#include "lib/sqlite/database.h"

namespace memory {

// Before a row changes and after: both do nothing for a row that is not live, so any order of
// changes keeps the index sound.
base::Status RemoveFromIndex(sqlite::Database& database, int64_t slot);
base::Status AddToIndex(sqlite::Database& database, int64_t slot);

// Puts what waits into the index; the second only when so much waits that it is worth it.
base::Status IndexWaiting(sqlite::Database& database);
base::Status IndexManyWaiting(sqlite::Database& database);

// Whether a row of these ranges waits; of any when there are none.
base::Result<bool> AnyWaits(sqlite::Database& database, const std::vector<int64_t>& ranges);

}  // namespace memory
