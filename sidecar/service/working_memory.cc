// Reads state.db; encoding happens after the read, which blocks the delivery.
#include "sidecar/service/working_memory.h"

#include <algorithm>
#include <utility>

#include "lib/api/hook_event.h"
#include "lib/base/limits/answer_charge.h"
#include "lib/conversation/conversations.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

Result<conversation::MessagePage> ReadMessages(sqlite::Database& db,
                                               const conversation::Conversation& found,
                                               MessageQuestion question) {
  // The answer has the fields too; they have at most 1 MiB.
  const size_t fields = base::DumpJson(found.fields).size();
  question.limits.bytes = std::min(question.limits.bytes, kMostMessagesBytes - fields);
  if (question.max_tokens > 0) {
    return conversation::NewestMessages(db, found.id, question.max_tokens, question.limits.bytes);
  }
  question.to = std::min(question.to, found.message_count);
  if (question.newest) question.from = std::max(int64_t{1}, question.to - *question.newest + 1);
  return conversation::MessagesBetween(db, found.id, question.from, question.to, question.limits);
}

}  // namespace

bool WorkingMemory::IsShown(const conversation::Conversation& conversation) const {
  return ttl_ms_ == 0 || conversation.updated_ms > clock_.NowMs() - ttl_ms_;
}

Result<conversation::Conversation> WorkingMemory::Current() const {
  ASSIGN_OR_RETURN(auto current,
                   state_.Read([](sqlite::Database& db) { return conversation::Current(db); }));
  if (current && IsShown(*current)) return std::move(*current);
  return base::Error{base::Code::kNotFound, "no conversation is open"};
}

Result<MessageAnswer> WorkingMemory::Messages(const std::string& id,
                                              MessageQuestion question) const {
  RETURN_IF_ERROR(CheckConversationId(id));
  return state_.Read([&](sqlite::Database& db) -> Result<MessageAnswer> {
    ASSIGN_OR_RETURN(auto found, conversation::Find(db, id));
    if (!found || !IsShown(*found)) return NoConversation(id);
    ASSIGN_OR_RETURN(auto page, ReadMessages(db, *found, question));
    return MessageAnswer{std::move(*found), std::move(page)};
  });
}

base::Status CheckConversationId(const std::string& id) {
  if (!id.empty() && id.size() <= api::kMaxConversationIdBytes) return {};
  return base::Error{base::Code::kInvalid, "a conversation id has 1 to 200 bytes"};
}

base::Error NoConversation(const std::string& id) {
  return {base::Code::kNotFound, "no conversation \"" + id + "\""};
}

Result<Json> EncodeMessages(const conversation::MessagePage& page) {
  Json list = Json::array();
  base::AnswerCharge charge;
  for (const auto& message : page.messages) {
    RETURN_IF_ERROR(charge.Add(conversation::EncodedBytes(message)));
    list.push_back(conversation::EncodeMessage(message));
  }
  return list;
}

}  // namespace sidecar
