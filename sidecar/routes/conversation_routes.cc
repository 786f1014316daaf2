// Handlers of /conversations. Posted messages are handled as those of hooks: redacted, appended,
// committed, then acknowledged.
#include "sidecar/routes/conversation_routes.h"

#include <memory>
#include <optional>
#include <utility>

#include "lib/conversation/conversations.h"
#include "lib/conversation/messages.h"
#include "sidecar/routes/json_handler.h"
#include "sidecar/routes/page_query.h"
#include "sidecar/session/sessions.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

constexpr size_t kMaxMessagesBytes = 8 << 20;
static_assert(kMostMessagesBytes <= kMostAnswerBytes);

Result<std::string> ConversationId(const http::Request& request) {
  const std::string& id = request.parameters.at("id");
  RETURN_IF_ERROR(CheckConversationId(id));
  return id;
}

Result<MessageQuestion> ReadQuestion(const http::Request& request) {
  constexpr int64_t kMostTokens = 999'999'999'999, kMostNumber = 1'000'000'000'000;
  MessageQuestion question;
  ASSIGN_OR_RETURN(const auto tokens, WholeNumber(request, "max_tokens", 0, kMostTokens));
  ASSIGN_OR_RETURN(const auto from, WholeNumber(request, "from", 1, kMostNumber));
  ASSIGN_OR_RETURN(const auto to, WholeNumber(request, "to", 1, kMostNumber));
  ASSIGN_OR_RETURN(const auto limit, WholeNumber(request, "limit", 1, kMostNumber));
  ASSIGN_OR_RETURN(const auto bytes, WholeNumber(request, "max_bytes", 1, kMostAnswerBytes));
  ASSIGN_OR_RETURN(const int64_t cursor, PageCursor(request));
  ASSIGN_OR_RETURN(question.newest, WholeNumber(request, "newest", 1, kMostNumber));
  question.max_tokens = tokens.value_or(0);
  if (question.max_tokens > 0 && (from || to || limit || cursor != 0 || question.newest)) {
    return base::Error{base::Code::kInvalid,
                       "max_tokens takes the newest messages and cannot be together with from, to, "
                       "newest, limit or cursor"};
  }
  if (cursor != 0) question.newest.reset();  // it says where the page begins
  question.from = cursor != 0 ? cursor : from.value_or(1);
  question.to = to.value_or(INT64_MAX);
  question.limits = {limit.value_or(INT64_MAX),
                     static_cast<size_t>(bytes.value_or(int64_t{kMostAnswerBytes}))};
  return question;
}

void RedactCallsOf(Json& body, const Redactor& redactor, Redactor::Counts& counts) {
  if (!body.is_object() || !body.contains("messages") || !body["messages"].is_array()) return;
  for (Json& message : body["messages"]) {
    if (!message.is_object() || !message.contains("tool_calls")) continue;
    for (Json* arguments : CallArguments(message["tool_calls"])) {
      redactor.RedactArguments(*arguments, counts);
    }
  }
}

// The fields that a runtime checkpoints in the commit of its messages.
Result<Json> DecodeChanges(const Json& body) {
  Json changes = Json::object();
  for (const char* key : {"toolMeta", "delegation"}) {
    if (body.contains(key)) changes[key] = body[key];
  }
  const auto meta = changes.find("toolMeta");
  if (meta != changes.end() && !meta->is_object() && !meta->is_null()) {
    return base::Error{base::Code::kInvalid,
                       "toolMeta must be an object from tool-call ids to what is kept about them"};
  }
  return changes;
}

}  // namespace

ConversationRoutes::ConversationRoutes(State& state, const WorkingMemory& memory,
                                       const PolicyWatch& policies, const base::Clock& clock,
                                       OutboxLimits limits, std::function<void()> wake)
    : state_(state),
      memory_(memory),
      policies_(policies),
      clock_(clock),
      limits_(limits),
      wake_(std::move(wake)) {}

std::vector<http::Route> ConversationRoutes::Routes() {
  return {
      {"GET", "/conversations", JsonHandler(this, &ConversationRoutes::List)},
      {"GET", "/conversations/current", JsonHandler(this, &ConversationRoutes::Current)},
      {"GET", "/conversations/{id}/messages", JsonHandler(this, &ConversationRoutes::GetMessages)},
      {"POST", "/conversations/{id}/messages",
       JsonHandler(this, &ConversationRoutes::AppendMessages), kMaxMessagesBytes},
      {"PUT", "/conversations/{id}/state", JsonHandler(this, &ConversationRoutes::PutState)},
  };
}

Result<Json> ConversationRoutes::List(const http::Request& request) {
  const std::string state = request.Query("state").value_or("");
  ASSIGN_OR_RETURN(const int64_t limit, PageLimit(request));
  ASSIGN_OR_RETURN(const int64_t behind, PageCursor(request));
  ASSIGN_OR_RETURN(const auto page, state_.Read([&](sqlite::Database& db) {
    return conversation::List(db, state, {behind, limit, kMostAnswerBytes});
  }));
  Json list = Json::array();
  for (const auto& one : page.conversations) {
    if (memory_.IsShown(one)) list.push_back(conversation::EncodeConversation(one));
  }
  Json answer = {{"conversations", std::move(list)}};
  SayMore(answer, page.more);
  return answer;
}

Result<Json> ConversationRoutes::Current(const http::Request&) {
  ASSIGN_OR_RETURN(const auto current, memory_.Current());
  return conversation::EncodeConversation(current);
}

Result<Json> ConversationRoutes::GetMessages(const http::Request& request) {
  ASSIGN_OR_RETURN(const MessageQuestion question, ReadQuestion(request));
  ASSIGN_OR_RETURN(auto found, memory_.Messages(request.parameters.at("id"), question));
  ASSIGN_OR_RETURN(Json list, EncodeMessages(found.page));
  auto& [conversation, page] = found;
  Json answer = {
      {"conversation", conversation.id},    {"memory_session_id", conversation.memory_session_id},
      {"state", conversation.state},        {"fields", std::move(conversation.fields)},
      {"last", conversation.message_count}, {"messages", std::move(list)}};
  if (question.max_tokens == 0) SayMore(answer, page.more);
  if (question.max_tokens > 0 && page.more != 0) answer["partial"] = true;
  return answer;
}

Result<Json> ConversationRoutes::AppendMessages(const http::Request& request) {
  auto answer = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
    ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
    ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
    const bool redacts = policy->policy.redaction.working_memory;
    Redactor::Counts counts;
    if (redacts) RedactCallsOf(body, policy->redactor, counts);  // whole: a cut one is no JSON
    ShortenStrings(body);
    if (redacts) policy->redactor.RedactStrings(body, counts);
    ASSIGN_OR_RETURN(const auto messages, conversation::DecodeMessages(body));
    ASSIGN_OR_RETURN(const Json changes, DecodeChanges(body));
    const int64_t now_ms = clock_.NowMs();
    ASSIGN_OR_RETURN(
        const int64_t last, state_.Write<int64_t>([&](sqlite::Database& db) -> Result<int64_t> {
          ASSIGN_OR_RETURN(const auto open,
                           OpenConversation(db, id, {policy->policy, limits_, now_ms}));
          if (!changes.empty()) {
            ASSIGN_OR_RETURN(const Json fields, conversation::MergeFields(open.fields, changes));
            RETURN_IF_ERROR(conversation::SetFields(db, id, fields));
          }
          return conversation::Append(db, id, messages, now_ms);
        }));
    return Json{{"count", messages.size()}, {"last", last}};
  }();
  if (answer) wake_();
  return answer;
}

Result<Json> ConversationRoutes::PutState(const http::Request& request) {
  auto answer = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
    ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
    ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
    if (!body.is_object()) return base::Error{base::Code::kInvalid, "the body must be an object"};
    ASSIGN_OR_RETURN(const auto state, base::OptionalString(body, "state"));
    if (state && *state != "open" && *state != "ended") {
      return base::Error{base::Code::kInvalid, "state must be open or ended"};
    }
    body.erase("state");
    Redactor::Counts counts;
    if (policy->policy.redaction.working_memory) policy->redactor.RedactStrings(body, counts);
    const OutboxContext context{policy->policy, limits_, clock_.NowMs()};
    std::unique_ptr<SessionAccount> account;
    if (state == "ended") {
      ASSIGN_OR_RETURN(account, PrepareAccount(state_, id, policy->policy));
    }
    return state_.Write<Json>([&](sqlite::Database& db) -> Result<Json> {
      ASSIGN_OR_RETURN(auto found, conversation::Find(db, id));
      if (!found) return NoConversation(id);
      if (!body.empty()) {
        ASSIGN_OR_RETURN(const Json fields, conversation::MergeFields(Json::object(), body));
        RETURN_IF_ERROR(conversation::SetFields(db, id, fields));
      }
      if (state == "ended") RETURN_IF_ERROR(EndConversation(db, id, context, account.get()));
      if (state == "open") {
        ASSIGN_OR_RETURN(found, OpenConversation(db, id, context));
      }
      ASSIGN_OR_RETURN(found, conversation::Find(db, id));
      return conversation::EncodeConversation(*found);
    });
  }();
  if (answer) wake_();
  return answer;
}

}  // namespace sidecar
