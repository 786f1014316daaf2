// The injection ledger: the items that a conversation has in its transcript already. The sidecar's
// recall marks what it injects and leaves out marked items; runtimes check, mark and evict by
// ledger_routes.h. Every call runs inside the caller's transaction.
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
extern const char* const kLedgerStep;       // a later migration, which takes it over

inline constexpr int64_t kMaxLedgerItems = 10'000;  // of one conversation

struct LedgerEntry {
  LedgerMark mark;
  int64_t turn = 0;  // of the conversation, when it was marked; 0 before its first prompt
  int64_t marked_ms = 0;
};

// Item → value of a conversation; empty for an unknown one.
base::Result<Ledger> ReadLedger(sqlite::Database& db, const std::string& conversation);
// Entries in the order of marking, at most `limit`, behind the place (`marked_ms`, `item`); the
// entry at that place may be gone.
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
// Marks the items that are not marked yet. → how many. kTooLarge: with the others they were over
// kMaxLedgerItems, and none was marked.
base::Result<int64_t> AddToLedger(sqlite::Database& db, const std::string& conversation,
                                  const std::vector<LedgerEntry>& entries);
// Removes the mark, so that the item may be injected again. → whether there was one.
base::Result<bool> EvictFromLedger(sqlite::Database& db, const std::string& conversation,
                                   const std::string& item);
// The next conversation in order that has a ledger; empty: there is none.
base::Result<std::string> LedgerBehind(sqlite::Database& db, const std::string& conversation);
base::Status ClearLedger(sqlite::Database& db, const std::string& conversation);

}  // namespace conversation
