// Validates bodies and parameters.
#include "memory/api/validate.h"

#include <charconv>

#include "lib/api/limits.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/conversation/working/fields.h"
#include "memory/keeping/items.h"
#include "memory/store/traces.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

Error Invalid(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Absent and null are nullopt; a present value obeys the rules of a POST.
Result<std::optional<std::string>> Changed(const Json& body, const char* field, size_t limit) {
  auto found = body.find(field);
  if (found == body.end() || found->is_null()) return std::optional<std::string>();
  ASSIGN_OR_RETURN(std::string text, api::RequiredText(body, field, limit));
  return std::optional<std::string>(std::move(text));
}

Result<std::optional<bool>> ChangedFlag(const Json& body, const char* field) {
  const auto found = body.find(field);
  if (found == body.end() || found->is_null()) return std::optional<bool>();
  ASSIGN_OR_RETURN(const bool set, api::OptionalFlag(body, field));
  return std::optional(set);
}

Result<int64_t> TimeField(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, base::OptionalString(json, field));
  if (!text || text->empty()) return int64_t{0};
  Result<int64_t> time = base::ParseTime(*text);
  if (!time) return Invalid(std::string(field) + " is not an RFC 3339 time");
  return *time;
}

}  // namespace

Result<Json> ObjectBody(const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
  if (!body.is_object()) return Invalid("the body must be a JSON object");
  return body;
}

Result<Json> BodyOrNothing(const http::Request& request) {
  return request.body.empty() ? Json::object() : ObjectBody(request);
}

Result<NewSession> DecodeNewSession(const Json& body) {
  NewSession session;
  ASSIGN_OR_RETURN(session.id, api::RequiredText(body, "id", api::kMaxSessionId));
  ASSIGN_OR_RETURN(session.project, api::RequiredText(body, "project", api::kMaxProject));
  ASSIGN_OR_RETURN(session.predecessor, api::OptionalText(body, "predecessor", api::kMaxSessionId));
  return session;
}

Result<Patch> DecodePatch(const Json& body) {
  Patch patch;
  ASSIGN_OR_RETURN(patch.type, Changed(body, "type", api::kMaxType));
  ASSIGN_OR_RETURN(patch.title, Changed(body, "title", api::kMaxTitle));
  ASSIGN_OR_RETURN(patch.content, Changed(body, "content", api::kMaxContent));
  auto tags = body.find("tags");
  if (tags != body.end() && !tags->is_null()) {
    ASSIGN_OR_RETURN(patch.tags, api::DecodeTags(body));
  }
  ASSIGN_OR_RETURN(patch.pinned, ChangedFlag(body, "pinned"));
  ASSIGN_OR_RETURN(patch.buried, ChangedFlag(body, "buried"));
  ASSIGN_OR_RETURN(const api::Source writer, api::DecodeSource(body));
  if (api::IsOrigin(writer.origin)) patch.writer = writer.origin;
  ASSIGN_OR_RETURN(patch.replace_user, api::OptionalFlag(body, "replace_user"));
  return patch;
}

Result<api::SummaryMessage> DecodeSummaryMessage(const Json& message) {
  if (!message.is_object()) return Invalid("a message must be an object with role and content");
  api::SummaryMessage made;
  ASSIGN_OR_RETURN(made.role, base::RequiredString(message, "role"));
  if (base::IsBlank(made.role)) return Invalid("role is required and must not be blank");
  // An assistant's message that only calls tools has an empty content: that is no reason to lose a
  // summary.
  ASSIGN_OR_RETURN(made.content, base::RequiredString(message, "content"));
  return made;
}

Result<api::Session> DecodeSession(const Json& json) {
  if (!json.is_object()) return Invalid("a session must be an object");
  ASSIGN_OR_RETURN(NewSession made, DecodeNewSession(json));
  api::Session session;
  session.id = std::move(made.id);
  session.project = std::move(made.project);
  session.predecessor = std::move(made.predecessor);
  ASSIGN_OR_RETURN(session.summary, api::OptionalText(json, "summary", api::kMaxContent));
  ASSIGN_OR_RETURN(session.started_ms, TimeField(json, "started_at"));
  ASSIGN_OR_RETURN(session.ended_ms, TimeField(json, "ended_at"));
  ASSIGN_OR_RETURN(std::optional<int64_t> count, base::OptionalInt(json, "message_count"));
  session.message_count = count.value_or(0);
  if (session.message_count < 0) return Invalid("message_count is negative");
  return session;
}

Result<size_t> CountParameter(const http::Request& request, const char* name, size_t fallback) {
  std::optional<std::string> text = request.Query(name);
  if (!text) return fallback;
  std::optional<int64_t> value = NumberOf(*text);
  if (!value || *value < 0) {
    return Invalid(std::string(name) + " must be a whole number from 0 to " +
                   std::to_string(api::kMaxRows) + ", it is \"" + base::Ellipsize(*text, 40) +
                   "\"");
  }
  return std::min<size_t>(static_cast<size_t>(*value), api::kMaxRows);
}

Result<std::optional<int64_t>> NumberParameter(const http::Request& request, const char* name) {
  std::optional<std::string> text = request.Query(name);
  if (!text) return std::optional<int64_t>();
  std::optional<int64_t> value = NumberOf(*text);
  if (value && *value > 0) return value;
  return Invalid(std::string(name) + " must be a whole number from 1 on, it is \"" +
                 base::Ellipsize(*text, 40) + "\"");
}

Result<bool> FlagParameter(const http::Request& request, const char* name, bool fallback) {
  std::optional<std::string> text = request.Query(name);
  if (!text) return fallback;
  if (*text == "false" || *text == "0") return false;
  if (*text == "true" || *text == "1") return true;
  return Invalid(std::string(name) + " must be true or false, it is \"" +
                 base::Ellipsize(*text, 40) + "\"");
}

Result<std::optional<int64_t>> TimeParameter(const http::Request& request, const char* name) {
  std::optional<std::string> text = request.Query(name);
  if (!text) return std::optional<int64_t>();
  if (std::optional<int64_t> time_ms = NumberOf(*text)) {
    if (*time_ms >= 0) return time_ms;
  } else if (Result<int64_t> time = base::ParseTime(*text)) {
    return std::optional<int64_t>(*time);
  }
  return Invalid(std::string(name) +
                 " must be a time like 2026-04-12T10:00:00Z (a + is written %2B) or milliseconds "
                 "since 1970, it is \"" +
                 base::Ellipsize(*text, 40) + "\"");
}

std::optional<std::string> TextParameter(const http::Request& request, const char* name) {
  std::optional<std::string> text = request.Query(name);
  if (text && base::IsBlank(*text)) return std::nullopt;
  return text;
}

Result<Precondition> DecodePrecondition(const http::Headers& headers) {
  Precondition condition;
  if (const auto none = headers.Get("If-None-Match")) {
    if (base::Trim(*none) != "*")
      return Error{Code::kInvalid, "If-None-Match must be *, it is " + base::Ellipsize(*none, 40)};
    condition.absent = true;
  }
  const auto match = headers.Get("If-Match");
  if (!match) return condition;
  condition.present = true;
  ASSIGN_OR_RETURN(condition.version, conversation::DecodeIfMatch(std::string(base::Trim(*match))));
  return condition;
}

Result<std::string> ProjectOf(const http::Request& request, const Json& body) {
  std::optional<std::string> given = TextParameter(request, "project");
  if (!given) {
    ASSIGN_OR_RETURN(given, base::OptionalString(body, "project"));
  }
  return api::RequiredText({{"project", given.value_or(kDefaultProject)}}, "project",
                           api::kMaxProject);
}

Result<std::string> ScopeIdIn(const std::optional<std::string>& given, const char* field) {
  const std::string id = given.value_or("");
  if (base::IsBlank(id)) return std::string(kDefaultScopeId);
  return api::RequiredText({{field, id}}, field, api::kMaxScopeId);
}

Result<std::optional<Viewer>> ViewerOf(const http::Request& request) {
  const auto user = request.headers.Get(api::kUserHeader);
  const auto agent = request.headers.Get(api::kAgentHeader);
  if (!user && !agent) return std::optional<Viewer>();
  Viewer viewer;
  ASSIGN_OR_RETURN(viewer.user, ScopeIdIn(user, api::kUserHeader));
  ASSIGN_OR_RETURN(viewer.agent, ScopeIdIn(agent, api::kAgentHeader));
  ASSIGN_OR_RETURN(viewer.conversation,
                   ScopeIdIn(TextParameter(request, "conversation"), "conversation"));
  return std::optional(std::move(viewer));
}

Result<Filter> FilterOf(const http::Request& request, size_t default_limit) {
  Filter filter;
  filter.project = TextParameter(request, "project");
  filter.type = TextParameter(request, "type");
  filter.scope = TextParameter(request, "scope");
  ASSIGN_OR_RETURN(filter.viewer, ViewerOf(request));
  ASSIGN_OR_RETURN(filter.limit, CountParameter(request, "limit", default_limit));
  return filter;
}

Result<int64_t> IdOf(std::string_view text) {
  std::optional<int64_t> id = NumberOf(text);
  if (!id)
    return Invalid("id must be a whole number from 1 to 9007199254740991, it is \"" +
                   base::Ellipsize(text, 40) + "\"");
  if (*id <= 0 || *id >= int64_t{1} << 53)
    return Error{Code::kNotFound, "there is no observation " + std::to_string(*id)};
  return *id;
}

Result<std::string> IdempotencyKeyOf(const http::Request& request) {
  std::string key = request.headers.Get("Idempotency-Key").value_or("");
  if (const size_t characters = base::CountCharacters(key); characters > api::kMaxKey) {
    return Invalid("Idempotency-Key has " + std::to_string(characters) +
                   " characters, the limit is " + std::to_string(api::kMaxKey));
  }
  return key;
}

}  // namespace memory
