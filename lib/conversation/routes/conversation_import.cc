// Creates conversations as given; appends a message after the existing ones, and skips one that
// exists.
#include "lib/conversation/routes/conversation_import.h"

#include <algorithm>
#include <functional>

#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/messages.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

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

// Whether an error concerns one row, which wrote nothing: the import continues with the others.
bool OfTheRow(const Error& error) {
  return error.code == Code::kInvalid || error.code == Code::kTooLarge || error.code == Code::kFull;
}

}  // namespace

Result<bool> ConversationImport::TakeConversation(sqlite::Database& db, const Json& json) {
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
  return Restore(db, made);
}

Result<bool> ConversationImport::TakeMessage(sqlite::Database& db, const Json& json,
                                             int64_t counted) {
  ASSIGN_OR_RETURN(const std::string id, IdField(json, "conversationId"));
  ASSIGN_OR_RETURN(const Message message, MessageOf(host_, json));
  ASSIGN_OR_RETURN(const int64_t number, CountField(json, "sequence", counted));
  const std::string key = host_.Key(id);
  ASSIGN_OR_RETURN(const auto found, Find(db, key));
  const int64_t here = found ? found->message_count : 0;
  if (number == here + 1) {
    RETURN_IF_ERROR(host_.AdmitMessages(db, key));
    const int64_t told_ms = message.created_ms != 0 ? message.created_ms : host_.NowMs();
    RETURN_IF_ERROR(Append(db, key, {message}, std::max(found ? found->updated_ms : 0, told_ms)));
    return true;
  }
  if (number >= 1 && number <= here) {
    ASSIGN_OR_RETURN(const MessagePage page, MessagesBetween(db, key, number, number));
    if (!page.messages.empty() && page.messages.front().role == message.role &&
        page.messages.front().content == message.content)
      return false;
  }
  return Error{Code::kInvalid, "conversation " + id + " has " + std::to_string(here) +
                                   " messages here and differs from message number " +
                                   std::to_string(number)};
}

Result<ConversationImport::Outcomes> ConversationImport::Take(
    const std::vector<ArrivingRow>& rows) {
  Outcomes outcomes;
  std::unordered_map<size_t, int64_t> counts;  // of these rows' conversations
  ASSIGN_OR_RETURN([[maybe_unused]] const Json done, host_.Write([&](sqlite::Database& db)
                                                                     -> Result<Json> {
    outcomes.clear();
    counts.clear();
    for (const ArrivingRow& row : rows) {
      if (!row.message) {
        outcomes.push_back(TakeConversation(db, row.json));
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
        outcomes.push_back(TakeMessage(db, row.json, count + 1));
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
