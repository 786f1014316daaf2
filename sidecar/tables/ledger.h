// The injection ledger: what a conversation has already in its transcript, in state.db. Recall
// marks what it injects and leaves out what is marked; a runtime may check, mark and evict by the
// routes of ledger_routes. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"
#include "sidecar/tables/ledger_mark.h"

namespace sidecar {

extern const char* const kSeenItemsSchema;  // the table before the ledger
extern const char* const kLedgerStep;       // a later migration, which takes it over

inline constexpr int64_t kMaxLedgerItems = 10'000;  // of one conversation

struct LedgerEntry {
  LedgerMark mark;
  int64_t turn = 0;  // of the conversation, when it was marked; 0 before its first prompt
  int64_t marked_ms = 0;
};

// Item → value of a conversation; empty when it is not known.
base::Result<Ledger> ReadLedger(sqlite::Database& db, const std::string& conversation);
// In the order of their marking, `limit` of them at most: those behind the one of `marked_ms` and
// `item`, which may be gone.
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
// Marks an item or gives it another value. kTooLarge: the conversation has kMaxLedgerItems others.
base::Status MarkInLedger(sqlite::Database& db, const std::string& conversation,
                          const LedgerEntry& entry);
// → whether it was there. It may be injected again.
base::Result<bool> EvictFromLedger(sqlite::Database& db, const std::string& conversation,
                                   const std::string& item);
base::Status ClearLedger(sqlite::Database& db, const std::string& conversation);

}  // namespace sidecar
