// Reads pages of conversations, and of the messages of each.
#include "lib/conversation/routes/conversation_export.h"

#include "lib/conversation/conversations.h"
#include "lib/conversation/messages.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr int64_t kConversationsAtOnce = 16;  // of up to kMaxFieldsBytes each
constexpr PageLimits kMessagesAtOnce = {256, 1 << 20};

Status WalkOwned(Host& host, const std::function<Status(const Conversation&)>& on_conversation) {
  std::vector<Conversation> page;
  for (std::string after = host.Key("");; after = page.back().id) {
    ASSIGN_OR_RETURN(
        [[maybe_unused]] const Json done, host.Read([&](sqlite::Database& db) -> Result<Json> {
          ASSIGN_OR_RETURN(page, OwnedAfter(db, host.Key(""), after, kConversationsAtOnce));
          return Json();
        }));
    if (page.empty()) return {};
    for (const Conversation& one : page) {
      if (host.IsShown(one)) RETURN_IF_ERROR(on_conversation(one));
    }
  }
}

Status WalkMessagesOf(Host& host, const std::string& key, const OnObject& on_message) {
  const std::string id = host.IdOf(key);
  int64_t number = 0;
  for (int64_t from = 1; from > 0;) {
    MessagePage page;
    ASSIGN_OR_RETURN(
        [[maybe_unused]] const Json done, host.Read([&](sqlite::Database& db) -> Result<Json> {
          ASSIGN_OR_RETURN(page, MessagesBetween(db, key, from, INT64_MAX, kMessagesAtOnce));
          return Json();
        }));
    for (const Message& message : page.messages) {
      Json json = {{"id", id + "/" + std::to_string(++number)},
                   {"conversationId", id},
                   {"sequence", number},
                   {"role", message.role},
                   {"content", message.content},
                   {"createdAt", message.created_ms}};
      if (!message.tool_calls.is_null()) json["toolCalls"] = message.tool_calls;
      if (!message.tool_call_id.empty()) json["toolCallId"] = message.tool_call_id;
      if (message.is_error) json["isError"] = true;
      RETURN_IF_ERROR(on_message(json));
    }
    from = page.more;
  }
  return {};
}

}  // namespace

Status WalkConversations(Host& host, const OnObject& on_conversation) {
  return WalkOwned(host, [&](const Conversation& one) {
    return on_conversation({{"id", host.IdOf(one.id)},
                            {"state", one.state},
                            {"createdAt", one.created_ms},
                            {"updatedAt", one.updated_ms},
                            {"turn", one.turn},
                            {"messageCount", one.message_count},
                            {"memorySessionId", one.memory_session_id},
                            {"metadata", one.fields}});
  });
}

Status WalkMessages(Host& host, const OnObject& on_message) {
  return WalkOwned(
      host, [&](const Conversation& one) { return WalkMessagesOf(host, one.id, on_message); });
}

}  // namespace conversation
