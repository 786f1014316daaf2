// Removes quotes of a hard-deleted row from the summaries of sessions. quotes.h defines a quote.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/sqlite/database.h"

namespace memory {

class ReaderPool;

// The sessions with a summary that quotes a row, read in short snapshots.
base::Result<std::vector<int64_t>> FindQuoting(ReaderPool& readers, int64_t id);
// In the transaction that removes the row: removes its quotes from the summaries of these sessions
// and of sessions written since `since_ms`.
base::Status EraseQuotes(sqlite::Database& writer, int64_t id, std::vector<int64_t> sessions,
                         int64_t since_ms);

}  // namespace memory
