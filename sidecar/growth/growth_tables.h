// The rows of state.db that grow: how many there are and what they weigh, and pieces of them that a
// plan (growth_plan.h) takes away. A piece is small, so that no hook waits long behind it. Every
// call runs inside the caller's transaction.
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
inline constexpr int64_t kBytesOfAPiece = 4 << 20;   // and about so many
inline constexpr int64_t kNewestAnswers = 1'000;     // these stay whatever the size
inline constexpr int64_t kNewestInjections = 1'000;  // the same
inline constexpr int64_t kNewestMessages = 1'000;    // of each conversation: by age neither
inline constexpr int64_t kConversationsTogether = 100;

// By name of the kind; kept by triggers, so that nobody has to look through the tables.
struct GrowthTotal {
  int64_t rows = 0, bytes = 0;  // bytes: of the columns, not of pages
};
base::Result<std::map<std::string, GrowthTotal>> GrowthTotals(sqlite::Database& db);

// Deletes rows by number with `remove`, a literal of ours with one parameter, until a piece is
// full. → how many.
base::Result<int64_t> RemoveNumbers(sqlite::Database& db, const char* remove,
                                    const std::vector<int64_t>& numbers);

// The oldest first. → how many; 0: none is left.
base::Result<int64_t> RemoveAnswers(sqlite::Database& db, const Cut& cut);
base::Result<int64_t> RemoveInjections(sqlite::Database& db, const Cut& cut);

// Ledgers of conversations that are not there, whose last mark is older than the cut, in the order
// of their names from behind `after` on.
struct LedgerPiece {
  int64_t removed = 0;
  std::string next;   // behind it the next piece begins
  bool last = false;  // there is none
};
base::Result<LedgerPiece> RemoveUnknownLedgers(sqlite::Database& db, const Cut& cut,
                                               const std::string& after);

// Conversations that ended and have no write in the outbox, the least used first. For size the one
// that was used last stays.
base::Result<std::vector<std::string>> EndedConversations(sqlite::Database& db, const Cut& cut);

// Those that stay and have more than kNewestMessages: the open ones and the one that was used last.
base::Result<std::vector<std::string>> LongConversations(sqlite::Database& db);
// Of such a one, the oldest first; system messages stay, since every context has them.
base::Result<int64_t> RemoveOldMessages(sqlite::Database& db, const Cut& cut,
                                        const std::string& conversation);

}  // namespace sidecar
