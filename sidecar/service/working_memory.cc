// Reads state.db.
#include "sidecar/service/working_memory.h"

#include <utility>

#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/sqlite/rows.h"

namespace sidecar {

using base::Result;

bool WorkingMemory::IsShown(const conversation::Conversation& conversation) const {
  return ttl_ms_ == 0 || conversation.updated_ms > clock_.NowMs() - ttl_ms_;
}

Result<conversation::Conversation> WorkingMemory::Current() const {
  ASSIGN_OR_RETURN(auto current, state_.Read([](sqlite::Database& db) {
    return conversation::SqliteRows(db).LastUsed("open", "");
  }));
  if (current && IsShown(*current)) return std::move(*current);
  return base::Error{base::Code::kNotFound, "no conversation is open"};
}

Result<MessageAnswer> WorkingMemory::Messages(const std::string& id,
                                              MessageQuestion question) const {
  RETURN_IF_ERROR(conversation::CheckConversationId(id));
  return state_.Read([&](sqlite::Database& db) -> Result<MessageAnswer> {
    conversation::SqliteRows rows(db);
    ASSIGN_OR_RETURN(auto found, rows.FindConversation(id));
    if (!found || !IsShown(*found)) return conversation::NoConversation(id);
    ASSIGN_OR_RETURN(auto page, conversation::ReadMessages(rows, *found, question));
    return MessageAnswer{std::move(*found), std::move(page)};
  });
}

Result<std::pair<int64_t, int64_t>> WorkingMemory::BlockRange(const std::string& id,
                                                              int64_t block) const {
  const auto find = conversation::OnRows(
      [&](conversation::Rows& rows) { return conversation::FindBlock(rows, id, block); });
  ASSIGN_OR_RETURN(auto found, state_.Read(find));
  if (!found) {
    // A conversation of an older version without blocks is cut into blocks at the first request.
    ASSIGN_OR_RETURN(const bool uncut,
                     state_.Read(conversation::OnRows([&](conversation::Rows& rows) {
                       return conversation::IsUncut(rows, id);
                     })));
    if (uncut) {
      RETURN_IF_ERROR(
          state_.Change(conversation::OnRows([&](conversation::Rows& rows) -> base::Status {
            ASSIGN_OR_RETURN(const bool still, conversation::IsUncut(rows, id));
            return still ? conversation::CutIntoBlocks(rows, id) : base::Status();
          })));
      ASSIGN_OR_RETURN(found, state_.Read(find));
    }
  }
  if (!found) return base::Error{base::Code::kNotFound, "Block not found"};
  return std::pair(found->first, found->last);
}

}  // namespace sidecar
