// Handlers of /conversations. Messages that a runtime posts itself go the same way as those of
// hooks: redacted, appended, committed, then acknowledged.
#include "sidecar/conversation_routes.h"

#include <utility>

#include "lib/api/hook_event.h"
#include "lib/conversation/conversations.h"
#include "sidecar/sessions.h"
#include "sidecar/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

constexpr size_t kMaxMessagesBytes = 8 << 20;

http::Response Answer(const Result<Json>& body) {
  return body ? http::JsonResponse(200, *body) : http::ErrorResponse(body.error());
}

Result<std::string> ConversationId(const http::Request& request) {
  const auto id = request.parameters.find("id");
  if (id == request.parameters.end() || id->second.empty() ||
      id->second.size() > api::kMaxConversationIdBytes) {
    return base::Error{base::Code::kInvalid, "a conversation id has 1 to 200 bytes"};
  }
  return id->second;
}

base::Error NoConversation(const std::string& id) {
  return {base::Code::kNotFound, "no conversation \"" + id + "\""};
}

Result<int64_t> TokenLimit(const http::Request& request) {
  const auto text = request.Query("max_tokens");
  if (!text) return int64_t{0};
  const bool digits = !text->empty() && text->size() <= 12 &&
                      text->find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return base::Error{base::Code::kInvalid, "max_tokens must be a whole number"};
  return static_cast<int64_t>(std::stoll(*text));
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

// What a runtime checkpoints beside its messages, in the same commit.
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

ConversationRoutes::ConversationRoutes(State& state, const PolicyWatch& policies,
                                       const base::Clock& clock, OutboxLimits limits,
                                       int64_t ttl_ms, std::function<void()> wake)
    : state_(state),
      policies_(policies),
      clock_(clock),
      limits_(limits),
      ttl_ms_(ttl_ms),
      wake_(std::move(wake)) {}

std::vector<http::Route> ConversationRoutes::Routes() {
  auto bind = [this](http::Response (ConversationRoutes::*handler)(const http::Request&)) {
    return [this, handler](const http::Request& request) { return (this->*handler)(request); };
  };
  return {
      {"GET", "/conversations", bind(&ConversationRoutes::List)},
      {"GET", "/conversations/current", bind(&ConversationRoutes::Current)},
      {"GET", "/conversations/{id}/messages", bind(&ConversationRoutes::GetMessages)},
      {"POST", "/conversations/{id}/messages", bind(&ConversationRoutes::AppendMessages),
       kMaxMessagesBytes},
      {"PUT", "/conversations/{id}/state", bind(&ConversationRoutes::PutState)},
  };
}

http::Response ConversationRoutes::List(const http::Request& request) {
  const std::string state = request.Query("state").value_or("");
  auto all = state_.Read([&](sqlite::Database& db) { return conversation::List(db, state); });
  if (!all) return http::ErrorResponse(all.error());
  Json list = Json::array();
  for (const auto& one : *all) {
    if (IsShown(one)) list.push_back(conversation::EncodeConversation(one));
  }
  return http::JsonResponse(200, {{"conversations", std::move(list)}});
}

http::Response ConversationRoutes::Current(const http::Request&) {
  auto current = state_.Read([](sqlite::Database& db) { return conversation::Current(db); });
  if (!current) return http::ErrorResponse(current.error());
  if (!*current || !IsShown(**current)) {
    return http::ErrorResponse({base::Code::kNotFound, "no conversation is open"});
  }
  return http::JsonResponse(200, conversation::EncodeConversation(**current));
}

http::Response ConversationRoutes::GetMessages(const http::Request& request) {
  return Answer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
    ASSIGN_OR_RETURN(const int64_t max_tokens, TokenLimit(request));
    return state_.Read([&](sqlite::Database& db) -> Result<Json> {
      ASSIGN_OR_RETURN(const auto found, conversation::Find(db, id));
      if (!found || !IsShown(*found)) return NoConversation(id);
      ASSIGN_OR_RETURN(const auto messages, conversation::Messages(db, id, max_tokens));
      Json list = Json::array();
      for (const auto& message : messages) list.push_back(conversation::EncodeMessage(message));
      return Json{{"conversation", id},
                  {"memory_session_id", found->memory_session_id},
                  {"state", found->state},
                  {"fields", found->fields},
                  {"messages", std::move(list)}};
    });
  }());
}

http::Response ConversationRoutes::AppendMessages(const http::Request& request) {
  auto answer = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
    ASSIGN_OR_RETURN(const auto policy, Policy());
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
  return Answer(answer);
}

http::Response ConversationRoutes::PutState(const http::Request& request) {
  auto answer = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
    ASSIGN_OR_RETURN(const auto policy, Policy());
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
    return state_.Write<Json>([&](sqlite::Database& db) -> Result<Json> {
      ASSIGN_OR_RETURN(auto found, conversation::Find(db, id));
      if (!found) return NoConversation(id);
      if (!body.empty()) {
        ASSIGN_OR_RETURN(const Json fields, conversation::MergeFields(Json::object(), body));
        RETURN_IF_ERROR(conversation::SetFields(db, id, fields));
      }
      if (state == "ended") RETURN_IF_ERROR(EndConversation(db, id, context));
      if (state == "open") {
        ASSIGN_OR_RETURN(found, OpenConversation(db, id, context));
      }
      ASSIGN_OR_RETURN(found, conversation::Find(db, id));
      return conversation::EncodeConversation(*found);
    });
  }();
  if (answer) wake_();
  return Answer(answer);
}

bool ConversationRoutes::IsShown(const conversation::Conversation& conversation) const {
  return ttl_ms_ == 0 || conversation.updated_ms > clock_.NowMs() - ttl_ms_;
}

Result<std::shared_ptr<const ActivePolicy>> ConversationRoutes::Policy() const {
  auto policy = policies_.Current();
  if (!policy) return base::Error{base::Code::kUnavailable, "no policy is in force yet"};
  return policy;
}

}  // namespace sidecar
