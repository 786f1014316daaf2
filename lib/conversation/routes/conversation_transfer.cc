// Export reads pages of conversations, and of the messages of each. Import creates conversations as
// given; it appends a message after the existing ones, and skips one that exists.
#include "lib/conversation/routes/conversation_transfer.h"

#include <algorithm>
#include <functional>

#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr int64_t kConversationsAtOnce = 16;  // of up to kMaxFieldsBytes each
constexpr PageLimits kMessagesAtOnce = {256, 1 << 20};

Status WalkOwned(Host& host, const std::function<Status(const Conversation&)>& on_conversation) {
  std::vector<Conversation> page;
  for (std::string after = host.Key("");; after = page.back().id) {
    ASSIGN_OR_RETURN([[maybe_unused]] const Json done, host.Read([&](Rows& rows) -> Result<Json> {
      ASSIGN_OR_RETURN(page, rows.OwnedConversations(host.Key(""), after, kConversationsAtOnce));
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
    ASSIGN_OR_RETURN([[maybe_unused]] const Json done, host.Read([&](Rows& rows) -> Result<Json> {
      ASSIGN_OR_RETURN(page, MessagesBetween(rows, key, from, INT64_MAX, kMessagesAtOnce));
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

constexpr size_t kMostCounted = 100'000;  // conversations of one import whose messages are counted
constexpr int64_t kMostMs = int64_t{1} << 53;

Result<int64_t> CountField(const Json& json, const char* field, int64_t fallback) {
  ASSIGN_OR_RETURN(const auto given, base::OptionalInt(json, field));
  if (!given || (*given >= 0 && *given < kMostMs)) return given.value_or(fallback);
  return Error{Code::kInvalid, std::string(field) +
                                   " must be a whole number from 0 to 2^53, it is " +
                                   std::to_string(*given)};
}

Result<std::string> IdField(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(std::string id, base::RequiredString(json, field));
  RETURN_IF_ERROR(CheckConversationId(id));
  return id;
}

Result<Message> MessageOf(Host& host, const Json& json) {
  Json message = Json::object();
  for (const auto& [ours, theirs] : {std::pair{"role", "role"},
                                     {"content", "content"},
                                     {"tool_calls", "toolCalls"},
                                     {"tool_call_id", "toolCallId"},
                                     {"is_error", "isError"}}) {
    if (json.contains(theirs)) message[ours] = json[theirs];
  }
  Json body = {{"messages", {std::move(message)}}};
  RETURN_IF_ERROR(host.RedactMessages(body, Host::Length::kWhole));
  ASSIGN_OR_RETURN(std::vector<Message> messages, DecodeMessages(body));
  ASSIGN_OR_RETURN(messages.front().created_ms, CountField(json, "createdAt", 0));
  return std::move(messages.front());
}

// Whether the error concerns this row only, and the import continues with the others.
bool OfTheRow(const Error& error) {
  return error.code == Code::kInvalid || error.code == Code::kTooLarge || error.code == Code::kFull;
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

Result<bool> ConversationImport::ImportConversation(Rows& rows, const Json& json) {
  Conversation made;
  ASSIGN_OR_RETURN(const std::string id, IdField(json, "id"));
  made.id = host_.Key(id);
  ASSIGN_OR_RETURN(made.created_ms, CountField(json, "createdAt", host_.NowMs()));
  ASSIGN_OR_RETURN(made.updated_ms, CountField(json, "updatedAt", made.created_ms));
  ASSIGN_OR_RETURN(made.turn, CountField(json, "turn", 0));
  ASSIGN_OR_RETURN(const auto state, base::OptionalString(json, "state"));
  made.state = state.value_or("open");
  if (made.state != "open" && made.state != "ended")
    return Error{Code::kInvalid,
                 "state must be open or ended, it is \"" + base::Ellipsize(made.state, 40) + "\""};
  ASSIGN_OR_RETURN(const auto session, base::OptionalString(json, "memorySessionId"));
  made.memory_session_id = session.value_or("");
  Json fields = json.value("metadata", Json::object());
  if (!fields.is_object()) return Error{Code::kInvalid, "metadata must be an object"};
  RETURN_IF_ERROR(host_.Redact(fields, Host::Text::kContent));
  ASSIGN_OR_RETURN(made.fields, MergeFields(Json::object(), fields));
  return Restore(rows, made);
}

Result<bool> ConversationImport::ImportMessage(Rows& rows, const Json& json, int64_t counted) {
  ASSIGN_OR_RETURN(const std::string id, IdField(json, "conversationId"));
  ASSIGN_OR_RETURN(const Message message, MessageOf(host_, json));
  ASSIGN_OR_RETURN(const int64_t number, CountField(json, "sequence", counted));
  const std::string key = host_.Key(id);
  ASSIGN_OR_RETURN(const auto found, rows.FindConversation(key));
  const int64_t here = found ? found->message_count : 0;
  if (number == here + 1) {
    RETURN_IF_ERROR(host_.AdmitMessages(rows, key));
    const int64_t told_ms = message.created_ms != 0 ? message.created_ms : host_.NowMs();
    RETURN_IF_ERROR(Append(rows, key, {message}, std::max(found ? found->updated_ms : 0, told_ms)));
    return true;
  }
  if (number >= 1 && number <= here) {
    ASSIGN_OR_RETURN(const MessagePage page, MessagesBetween(rows, key, number, number));
    if (!page.messages.empty() && page.messages.front().role == message.role &&
        page.messages.front().content == message.content)
      return false;
  }
  return Error{Code::kInvalid, "conversation " + id + " has " + std::to_string(here) +
                                   " messages here and differs from message number " +
                                   std::to_string(number)};
}

Result<ConversationImport::Outcomes> ConversationImport::Import(
    const std::vector<ArrivingRow>& arriving) {
  Outcomes outcomes;
  std::unordered_map<size_t, int64_t> counts;  // of these rows' conversations
  ASSIGN_OR_RETURN([[maybe_unused]] const Json done, host_.Write([&](Rows& rows) -> Result<Json> {
    outcomes.clear();
    counts.clear();
    for (const ArrivingRow& row : arriving) {
      if (!row.message) {
        outcomes.push_back(ImportConversation(rows, row.json));
      } else {
        const size_t which = std::hash<std::string>()(base::StringAt(row.json, {"conversationId"}));
        const auto known = counted_.find(which);
        if (known == counted_.end() && counted_.size() >= kMostCounted) {
          outcomes.push_back(Error{Code::kFull, "there are messages of more than " +
                                                    std::to_string(kMostCounted) +
                                                    " conversations: import them in parts"});
          continue;
        }
        int64_t& count =
            counts.try_emplace(which, known == counted_.end() ? 0 : known->second).first->second;
        outcomes.push_back(ImportMessage(rows, row.json, count + 1));
        if (outcomes.back()) ++count;
      }
      if (!outcomes.back() && !OfTheRow(outcomes.back().error())) return outcomes.back().error();
    }
    return Json();
  }));
  for (const auto& [which, count] : counts) counted_[which] = count;
  return outcomes;
}

}  // namespace conversation
