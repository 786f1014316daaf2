// Counts and deletes rows of state.db by a plan of growth_plan.h, in pieces that are small, so that
// no hook waits long for their commit. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"
#include "sidecar/growth/growth_plan.h"

namespace sidecar {

extern const char* const kGrowthStep;  // a migration

inline constexpr int64_t kRowsOfAPiece = 500;
inline constexpr int64_t kBytesOfAPiece = 4 << 20;   // approximately
inline constexpr int64_t kNewestAnswers = 1'000;     // kept whatever the size
inline constexpr int64_t kNewestInjections = 1'000;  // kept whatever the size
inline constexpr int64_t kNewestMessages =
    1'000;  // of each conversation; kept whatever size and age
inline constexpr int64_t kConversationsTogether = 100;

// By name of the kind. Triggers maintain the totals, so that no table is scanned.
struct GrowthTotal {
  int64_t rows = 0, bytes = 0;  // bytes: of the columns, not of pages
};
base::Result<std::map<std::string, GrowthTotal>> GrowthTotals(sqlite::Database& db);

// Deletes rows by number with the statement `remove`, which has one parameter, until a piece is
// full. → the number of deleted rows.
base::Result<int64_t> RemoveNumbers(sqlite::Database& db, const char* remove,
                                    const std::vector<int64_t>& numbers);

// Delete a piece of the cut's rows, the oldest first. → the number of deleted rows; 0: none is
// left.
base::Result<int64_t> RemoveAnswers(sqlite::Database& db, const Cut& cut);
base::Result<int64_t> RemoveInjections(sqlite::Database& db, const Cut& cut);

// Removes ledgers of unknown conversations whose newest entry is older than the cut, in the order
// of the conversations' ids, after the id `after`.
struct LedgerPiece {
  int64_t removed = 0;
  std::string next;   // the `after` of the next piece
  bool last = false;  // there is no next piece
};
base::Result<LedgerPiece> RemoveUnknownLedgers(sqlite::Database& db, const Cut& cut,
                                               const std::string& after);

// Ended conversations without a write in the outbox, the least recently used first. A cut by size
// spares the most recently used one.
base::Result<std::vector<std::string>> EndedConversations(sqlite::Database& db, const Cut& cut);

// Conversations with more than kNewestMessages that are not evicted whole: open ones and the most
// recently used one.
base::Result<std::vector<std::string>> LongConversations(sqlite::Database& db);
// Removes the oldest messages of a long conversation, except system messages, which every context
// has. → the number of removed messages; 0: none is left.
base::Result<int64_t> RemoveOldMessages(sqlite::Database& db, const Cut& cut,
                                        const std::string& conversation);

}  // namespace sidecar
