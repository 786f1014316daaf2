// A context for a model is read backwards from the newest message and stops at the budget, so that
// its cost does not depend on the length of the conversation. Models refuse the result of a call
// that they do not see: a result is dropped if its call is beyond the budget, which a bounded
// search distinguishes from a result that never had a call.
#include "lib/conversation/conversations.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "lib/base/json/stored.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using Kind = MessageScan::Kind;

// Limits of the search for calls in Orphans, which reads kCallsTogether at once. Calls and results
// are close together; a call beyond the limits counts as left out.
constexpr int64_t kMaxCallsRead = 1'000, kCallsTogether = 20;
constexpr size_t kMaxCallBytesRead = 4 << 20;

// The ids of results whose call is left out: it is in message `left_out` or before it. Results of
// hooks may have no call at all and are no orphans, so this searches the calls.
Result<std::set<std::string>> Orphans(Rows& rows, const std::string& id,
                                      const std::vector<Message>& newest, int64_t left_out) {
  std::set<std::string> lone, orphans;
  for (const Message& message : newest) {
    if (message.role == "tool") lone.insert(message.tool_call_id);
  }
  for (const Message& message : newest) {
    for (const std::string& call : CallIds(message.tool_calls)) lone.erase(call);
  }
  size_t bytes = 0;
  for (int64_t read = 0; !lone.empty() && left_out > 0;) {
    ASSIGN_OR_RETURN(const auto page,
                     rows.ReadCalls(id, left_out, kCallsTogether, kMaxCallBytesRead - bytes));
    if (page.empty()) break;
    for (const MessageCalls& message : page) {
      bytes += message.calls.size();
      if (++read > kMaxCallsRead || bytes > kMaxCallBytesRead) {
        orphans.merge(lone);
        return orphans;
      }
      ASSIGN_OR_RETURN(const Json calls, base::ParseStored(message.calls, Json()));
      for (const std::string& call : CallIds(calls)) {
        if (lone.erase(call) > 0) orphans.insert(call);
      }
    }
    left_out = page.back().sequence - 1;
  }
  return orphans;
}

}  // namespace

Result<Conversation> GetOrCreate(Rows& rows, const std::string& id, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto found, rows.FindConversation(id));
  if (found) return *std::move(found);
  Conversation made;
  made.id = id;
  made.state = "open";
  made.created_ms = made.updated_ms = now_ms;
  RETURN_IF_ERROR(rows.InsertConversation(made));
  return made;
}

Result<bool> Restore(Rows& rows, const Conversation& conversation) {
  ASSIGN_OR_RETURN(const auto found, rows.FindConversation(conversation.id));
  if (found) return false;
  RETURN_IF_ERROR(rows.InsertConversation(conversation));
  return true;
}

Result<int64_t> Append(Rows& rows, const std::string& id, const std::vector<Message>& messages,
                       int64_t now_ms) {
  ASSIGN_OR_RETURN(const Conversation conversation, GetOrCreate(rows, id, now_ms));
  // The count is the last sequence: no message is deleted alone.
  RETURN_IF_ERROR(rows.InsertMessages(id, conversation.message_count + 1, now_ms, messages));
  const int64_t last = conversation.message_count + std::ssize(messages);
  RETURN_IF_ERROR(rows.UpdateConversation(id, {.used = ConversationUse{last, now_ms}}));
  return last;
}

Result<MessagePage> MessagesBetween(Rows& rows, const std::string& id, int64_t from, int64_t to,
                                    const PageLimits& limits) {
  ASSIGN_OR_RETURN(MessagePage page, rows.ReadMessages(id, {Kind::kAll, from, to}, limits));
  page.messages = DropCorrupt(std::move(page.messages));
  return page;
}

Result<MessagePage> HeadsAfter(Rows& rows, const std::string& id, int64_t after, int64_t characters,
                               const PageLimits& limits) {
  ASSIGN_OR_RETURN(MessagePage page,
                   rows.ReadMessages(id, {Kind::kHeads, after + 1, INT64_MAX, characters}, limits));
  std::erase_if(page.messages, [](const Message& message) { return !message.checksum_ok; });
  return page;
}

Result<MessagePage> NewestMessages(Rows& rows, const std::string& id, int64_t max_tokens,
                                   size_t max_bytes) {
  ASSIGN_OR_RETURN(MessagePage stay,
                   rows.ReadMessages(id, {Kind::kSystem}, {INT64_MAX, max_bytes}));
  for (const Message& message : stay.messages) {
    max_tokens -= Tokens(message);
    max_bytes -= std::min(max_bytes, EncodedBytes(message));
  }
  if (stay.more != 0) max_bytes = 0;
  MessagePage newest;
  if (max_tokens >= 0) {
    const PageLimits limits = {INT64_MAX, max_bytes, max_tokens, true};
    ASSIGN_OR_RETURN(newest, rows.ReadMessages(id, {Kind::kNewestOthers}, limits));
  }
  ASSIGN_OR_RETURN(const auto orphans, Orphans(rows, id, newest.messages, newest.more));
  for (Message& message : newest.messages) {
    const bool orphan = message.role == "tool" && orphans.contains(message.tool_call_id);
    if (!orphan) stay.messages.push_back(std::move(message));
  }
  if (newest.more != 0 && !newest.out_of_tokens) stay.more = newest.more;
  std::ranges::sort(stay.messages, {}, &Message::sequence);
  stay.messages = DropCorrupt(std::move(stay.messages));
  return stay;
}

Result<MessagePage> ReadMessages(Rows& rows, const Conversation& found, MessageQuestion question) {
  // The answer also has the fields, at most 1 MiB.
  const size_t fields = base::DumpJson(found.fields).size();
  question.limits.bytes = std::min(question.limits.bytes, kMostMessagesBytes - fields);
  if (question.max_tokens > 0)
    return NewestMessages(rows, found.id, question.max_tokens, question.limits.bytes);
  question.to = std::min(question.to, found.message_count);
  if (question.newest) question.from = std::max(int64_t{1}, question.to - *question.newest + 1);
  return MessagesBetween(rows, found.id, question.from, question.to, question.limits);
}

Json EncodeMessages(const MessagePage& page) {
  Json list = Json::array();
  for (const auto& message : page.messages) list.push_back(EncodeMessage(message));
  return list;
}

}  // namespace conversation
