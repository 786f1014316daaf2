// Removes quotes of hard-deleted rows from the summaries of sessions. quotes.h defines a quote.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/sqlite/database.h"

namespace memory {

class ReaderPool;

// The sessions with a summary that quotes one of the rows, read in short snapshots.
base::Result<std::vector<int64_t>> FindQuoting(ReaderPool& readers, std::span<const int64_t> ids);
// In the transaction that removes the rows: removes their quotes from the summaries of these
// sessions and of sessions written since `since_ms`.
base::Status EraseQuotes(sqlite::Database& writer, std::span<const int64_t> ids,
                         std::vector<int64_t> sessions, int64_t since_ms);

}  // namespace memory
