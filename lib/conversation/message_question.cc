// Clips a question to the limits of an answer.
#include "lib/conversation/message_question.h"

#include <algorithm>

namespace conversation {

using base::Json;
using base::Result;

Result<MessagePage> ReadMessages(sqlite::Database& db, const Conversation& found,
                                 MessageQuestion question) {
  // The answer also has the fields, at most 1 MiB.
  const size_t fields = base::DumpJson(found.fields).size();
  question.limits.bytes = std::min(question.limits.bytes, kMostMessagesBytes - fields);
  if (question.max_tokens > 0)
    return NewestMessages(db, found.id, question.max_tokens, question.limits.bytes);
  question.to = std::min(question.to, found.message_count);
  if (question.newest) question.from = std::max(int64_t{1}, question.to - *question.newest + 1);
  return MessagesBetween(db, found.id, question.from, question.to, question.limits);
}

Json EncodeMessages(const MessagePage& page) {
  Json list = Json::array();
  for (const auto& message : page.messages) list.push_back(EncodeMessage(message));
  return list;
}

}  // namespace conversation
