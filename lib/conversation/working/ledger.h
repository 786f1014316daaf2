// The injection ledger: the items that a conversation already has in its transcript. The sidecar's
// recall marks the items that it injects and skips marked ones; runtimes check, mark and evict
// items by routes (ledger_routes.cc). Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/rows.h"

namespace conversation {

inline constexpr int64_t kMaxLedgerItems = 10'000;  // of one conversation

// Marks an item or changes its value. kTooLarge: the conversation has kMaxLedgerItems other items.
base::Status MarkInLedger(Rows& rows, const std::string& conversation, const LedgerEntry& entry);
// Marks the unmarked items. → their number. kTooLarge: with the others they exceed kMaxLedgerItems,
// and none was marked.
base::Result<int64_t> AddToLedger(Rows& rows, const std::string& conversation,
                                  const std::vector<LedgerEntry>& entries);

}  // namespace conversation
