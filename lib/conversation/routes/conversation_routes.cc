// Handles posted messages like those of hooks: redact, append, commit, acknowledge. Encodes
// messages after the read transaction, which blocks others.
#include <optional>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/route_limits.h"
#include "lib/conversation/routes/host.h"
#include "lib/http/message/page_query.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;

static_assert(kMostMessagesBytes <= http::kMostAnswerBytes);

Result<MessageQuestion> ReadQuestion(const http::Request& request) {
  MessageQuestion question;
  ASSIGN_OR_RETURN(const auto tokens,
                   http::WholeNumber(request, "max_tokens", 0, kMaxWindowTokens));
  ASSIGN_OR_RETURN(const auto from, http::WholeNumber(request, "from", 1, kMaxMessageNumber));
  ASSIGN_OR_RETURN(const auto to, http::WholeNumber(request, "to", 1, kMaxMessageNumber));
  ASSIGN_OR_RETURN(const auto limit, http::WholeNumber(request, "limit", 1, kMaxMessageNumber));
  ASSIGN_OR_RETURN(const auto bytes,
                   http::WholeNumber(request, "max_bytes", 1, http::kMostAnswerBytes));
  ASSIGN_OR_RETURN(const int64_t cursor, http::PageCursor(request));
  ASSIGN_OR_RETURN(question.newest, http::WholeNumber(request, "newest", 1, kMaxMessageNumber));
  question.max_tokens = tokens.value_or(0);
  if (question.max_tokens > 0 && (from || to || limit || cursor != 0 || question.newest)) {
    return base::Error{base::Code::kInvalid,
                       "max_tokens takes the newest messages and cannot be together with from, to, "
                       "newest, limit or cursor"};
  }
  if (cursor != 0) question.newest.reset();  // the cursor begins the page
  question.from = cursor != 0 ? cursor : from.value_or(1);
  question.to = to.value_or(INT64_MAX);
  question.limits = {limit.value_or(INT64_MAX),
                     static_cast<size_t>(bytes.value_or(int64_t{http::kMostAnswerBytes}))};
  return question;
}

// The fields that a runtime saves in the commit of its messages.
Result<Json> DecodeChanges(const Json& body) {
  Json changes = Json::object();
  for (const char* key : {"toolMeta", "delegation"}) {
    if (!body.contains(key)) continue;
    RETURN_IF_ERROR(base::CheckLevels(key, body[key]));
    changes[key] = body[key];
  }
  const auto meta = changes.find("toolMeta");
  if (meta != changes.end() && !meta->is_object() && !meta->is_null()) {
    return base::Error{base::Code::kInvalid,
                       "toolMeta must be an object from tool-call ids to what is kept about them"};
  }
  return changes;
}

Json Encode(const Host& host, Conversation conversation) {
  conversation.id = host.IdOf(conversation.id);
  return EncodeConversation(conversation);
}

Result<http::Response> ListConversations(Host& host, const http::Request& request) {
  const std::string state = request.Query("state").value_or("");
  ListPage asked{.bytes = http::kMostAnswerBytes, .owner = host.Key("")};
  ASSIGN_OR_RETURN(asked.limit, http::PageLimit(request));
  ASSIGN_OR_RETURN(asked.behind, http::PageCursor(request));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const auto page, rows.ListConversations(state, asked));
    Json list = Json::array();
    for (const auto& one : page.conversations)
      if (host.IsShown(one)) list.push_back(Encode(host, one));
    Json answer = {{"conversations", std::move(list)}};
    http::AddNextPage(answer, page.more);
    return answer;
  }));
}

Result<http::Response> CurrentConversation(Host& host, const http::Request&) {
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(auto current, rows.LastUsed("open", host.Key("")));
    if (current && host.IsShown(*current)) return Encode(host, *std::move(current));
    return base::Error{base::Code::kNotFound, "no conversation is open"};
  }));
}

Result<http::Response> GetMessages(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const MessageQuestion question, ReadQuestion(request));
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  std::optional<Conversation> found;
  MessagePage page;
  auto read = host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(found, rows.FindConversation(host.Key(id)));
    if (!found || !host.IsShown(*found)) return NoConversation(id);
    ASSIGN_OR_RETURN(page, ReadMessages(rows, *found, question));
    return Json();
  });
  if (!read) return read.error();
  Json answer = {{"conversation", id},           {"memory_session_id", found->memory_session_id},
                 {"state", found->state},        {"fields", std::move(found->fields)},
                 {"last", found->message_count}, {"messages", EncodeMessages(page)}};
  if (question.max_tokens == 0) http::AddNextPage(answer, page.more);
  if (question.max_tokens > 0 && page.more != 0) answer["partial"] = true;
  return http::JsonResponse(200, answer);
}

Result<http::Response> AppendMessages(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
  RETURN_IF_ERROR(host.RedactMessages(body, Host::Length::kShortened));
  ASSIGN_OR_RETURN(const auto messages, DecodeMessages(body));
  ASSIGN_OR_RETURN(const Json changes, DecodeChanges(body));
  const std::string key = host.Key(id);
  const auto answer = host.Write([&](Rows& rows) -> Result<Json> {
    RETURN_IF_ERROR(host.AdmitMessages(rows, key));
    ASSIGN_OR_RETURN(const auto open, host.Open(rows, key));
    if (!changes.empty()) {
      ASSIGN_OR_RETURN(const Json fields, MergeFields(open.fields, changes));
      RETURN_IF_ERROR(rows.UpdateConversation(key, {.fields = fields}));
    }
    ASSIGN_OR_RETURN(const int64_t last,
                     AppendToBlock(rows, key, messages, host.NowMs(), TurnPlace::kPosted));
    return Json{{"count", messages.size()}, {"last", last}};
  });
  if (answer) host.Changed();
  return AsResponse(answer);
}

Result<http::Response> PutState(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
  if (!body.is_object()) return base::Error{base::Code::kInvalid, "the body must be an object"};
  ASSIGN_OR_RETURN(const auto state, base::OptionalString(body, "state"));
  if (state && *state != "open" && *state != "ended")
    return base::Error{base::Code::kInvalid, "state must be open or ended"};
  body.erase("state");
  for (const auto& [field, value] : body.items())
    RETURN_IF_ERROR(base::CheckLevels(base::Ellipsize(field, 40), value));
  RETURN_IF_ERROR(host.Redact(body, Host::Text::kContent));
  const std::string key = host.Key(id);
  Host::Ending end;
  if (state == "ended") {
    ASSIGN_OR_RETURN(end, host.PrepareEnd(key));
  }
  const auto answer = host.Write([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(auto found, rows.FindConversation(key));
    if (!found) return NoConversation(id);
    if (!body.empty()) {
      ASSIGN_OR_RETURN(const Json fields, MergeFields(Json::object(), body));
      RETURN_IF_ERROR(rows.UpdateConversation(key, {.fields = fields}));
    }
    if (end) RETURN_IF_ERROR(end(rows));
    if (state == "open") {
      ASSIGN_OR_RETURN(found, host.Open(rows, key));
    }
    ASSIGN_OR_RETURN(found, rows.FindConversation(key));
    return Encode(host, *std::move(found));
  });
  if (answer) host.Changed();
  return AsResponse(answer);
}

}  // namespace

std::vector<HostedHandler> ConversationRoutes() {
  return {{"list_conversations", ListConversations},
          {"get_current_conversation", CurrentConversation},
          {"get_messages", GetMessages},
          {"append_messages", AppendMessages},
          {"set_conversation_state", PutState}};
}

}  // namespace conversation
