// The injection ledger: the items that a conversation has in its transcript already. The sidecar's
// recall marks injected items and leaves out marked ones; runtimes check, mark and evict items
// through ledger_routes.h. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/working/ledger_mark.h"
#include "lib/sqlite/database.h"

namespace conversation {

extern const char* const kLedgerSchema;     // the table, as a migration step
extern const char* const kSeenItemsSchema;  // the table before the ledger
extern const char* const kLedgerStep;       // a later migration of that table

inline constexpr int64_t kMaxLedgerItems = 10'000;  // of one conversation

struct LedgerEntry {
  LedgerMark mark;
  int64_t turn = 0;  // of the conversation at the time of marking; 0 before its first prompt
  int64_t marked_ms = 0;
};

// The items and values of a conversation; empty for an unknown one.
base::Result<Ledger> ReadLedger(sqlite::Database& db, const std::string& conversation);
// At most `limit` entries in the order of marking, after the cursor (`marked_ms`, `item`), whose
// entry may be evicted already.
struct LedgerPlace {
  int64_t marked_ms = -1;
  std::string item;
};
base::Result<std::vector<LedgerEntry>> LedgerEntries(sqlite::Database& db,
                                                     const std::string& conversation,
                                                     const LedgerPlace& behind, int64_t limit);
base::Result<std::optional<LedgerEntry>> FindInLedger(sqlite::Database& db,
                                                      const std::string& conversation,
                                                      const std::string& item);
// Marks an item or changes its value. kTooLarge: the conversation has kMaxLedgerItems other items.
base::Status MarkInLedger(sqlite::Database& db, const std::string& conversation,
                          const LedgerEntry& entry);
// Marks the unmarked items. → their number. kTooLarge: with the others they exceed kMaxLedgerItems,
// and none was marked.
base::Result<int64_t> AddToLedger(sqlite::Database& db, const std::string& conversation,
                                  const std::vector<LedgerEntry>& entries);
// Removes the mark, so that the item may be injected again. → whether there was one.
base::Result<bool> EvictFromLedger(sqlite::Database& db, const std::string& conversation,
                                   const std::string& item);
// The next conversation after `conversation` with a ledger; empty: none.
base::Result<std::string> LedgerAfter(sqlite::Database& db, const std::string& conversation);
base::Status ClearLedger(sqlite::Database& db, const std::string& conversation);

}  // namespace conversation
