// Counts the rows of state.db that grow and deletes them in pieces, by a plan of growth_plan.h. A
// piece is small, so that no hook waits long behind its commit. Every call runs inside the caller's
// transaction.
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

inline constexpr int64_t kRowsOfAPiece = 500;        // in one transaction
inline constexpr int64_t kBytesOfAPiece = 4 << 20;   // and about this many bytes
inline constexpr int64_t kNewestAnswers = 1'000;     // kept whatever the size
inline constexpr int64_t kNewestInjections = 1'000;  // kept whatever the size
inline constexpr int64_t kNewestMessages =
    1'000;  // of each conversation; kept whatever size and age
inline constexpr int64_t kConversationsTogether = 100;

// By name of the kind. Triggers keep the totals; no table is scanned.
struct GrowthTotal {
  int64_t rows = 0, bytes = 0;  // bytes: of the columns, not of pages
};
base::Result<std::map<std::string, GrowthTotal>> GrowthTotals(sqlite::Database& db);

// Deletes rows by number with the statement `remove`, which has one parameter, until a piece is
// full. → the number of deleted rows.
base::Result<int64_t> RemoveNumbers(sqlite::Database& db, const char* remove,
                                    const std::vector<int64_t>& numbers);

// Delete the oldest rows. → the number of deleted rows; 0: none is left.
base::Result<int64_t> RemoveAnswers(sqlite::Database& db, const Cut& cut);
base::Result<int64_t> RemoveInjections(sqlite::Database& db, const Cut& cut);

// Removes ledgers of unknown conversations whose last mark is older than the cut, in the order of
// the conversations' ids, from `after` (exclusive) on.
struct LedgerPiece {
  int64_t removed = 0;
  std::string next;   // the `after` of the next piece
  bool last = false;  // there is no next piece
};
base::Result<LedgerPiece> RemoveUnknownLedgers(sqlite::Database& db, const Cut& cut,
                                               const std::string& after);

// Ended conversations without a write in the outbox, the least recently used first. A cut by size
// leaves the most recently used one out.
base::Result<std::vector<std::string>> EndedConversations(sqlite::Database& db, const Cut& cut);

// Conversations with more than kNewestMessages that stay: open ones and the most recently used.
base::Result<std::vector<std::string>> LongConversations(sqlite::Database& db);
// Removes the oldest messages of a long conversation; system messages stay, since every context has
// them.
base::Result<int64_t> RemoveOldMessages(sqlite::Database& db, const Cut& cut,
                                        const std::string& conversation);

}  // namespace sidecar
