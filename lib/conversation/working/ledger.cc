// A conversation has at most kMaxLedgerItems entries, so that pages by the time of marking can
// sort.
#include "lib/conversation/working/ledger.h"

#include <iterator>
#include <utility>

namespace conversation {
namespace {

base::Error LedgerIsFull() {
  return {base::Code::kTooLarge, "the ledger of this conversation has " +
                                     std::to_string(kMaxLedgerItems) +
                                     " items, the limit; evict some"};
}

}  // namespace

base::Status MarkInLedger(Rows& rows, const std::string& conversation, const LedgerEntry& entry) {
  ASSIGN_OR_RETURN(const int64_t others, rows.CountLedger(conversation, entry.item.name));
  if (others >= kMaxLedgerItems) return LedgerIsFull();
  return rows.SaveInLedger(conversation, {entry});
}

base::Result<int64_t> AddToLedger(Rows& rows, const std::string& conversation,
                                  const std::vector<LedgerEntry>& entries) {
  ASSIGN_OR_RETURN(Ledger marked, rows.ReadLedger(conversation));
  std::vector<LedgerEntry> added;
  for (const LedgerEntry& entry : entries)
    if (marked.emplace(entry.item.name, entry.item.value).second) added.push_back(entry);
  if (std::ssize(marked) > kMaxLedgerItems && !added.empty()) return LedgerIsFull();
  RETURN_IF_ERROR(rows.SaveInLedger(conversation, added));
  return std::ssize(added);
}

}  // namespace conversation
