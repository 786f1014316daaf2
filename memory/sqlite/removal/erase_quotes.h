// Takes quotes of a row that is deleted hard out of the summaries of sessions. What is a quote is
// quotes.h.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/sqlite/database.h"

namespace memory {

class ReaderPool;

// The sessions with a summary that quotes a row, as readers see them: in short snapshots.
base::Result<std::vector<int64_t>> FindQuoting(ReaderPool& readers, int64_t id);
// In the transaction that removes the row: takes its quotes out of the summaries of these sessions,
// and of those that were written since `since_ms`.
base::Status EraseQuotes(sqlite::Database& writer, int64_t id, std::vector<int64_t> sessions,
                         int64_t since_ms);

}  // namespace memory
