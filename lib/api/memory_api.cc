// Decodes, checks and encodes the memory API's objects. Pure.
#include "lib/api/memory_api.h"

#include "lib/base/process/clock.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace api {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

Error Invalid(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

Status CheckLength(std::string_view field, std::string_view text, size_t limit) {
  size_t count = base::CountCharacters(text);
  if (count <= limit) return {};
  return Invalid(std::string(field) + " has " + std::to_string(count) +
                 " characters, the limit is " + std::to_string(limit));
}

Result<int64_t> TimeOf(const Json& json, const char* field, int64_t fallback) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, base::OptionalString(json, field));
  if (!text || text->empty()) return fallback;
  Result<int64_t> time = base::ParseTime(*text);
  if (!time)
    return Invalid(std::string(field) + " is not an RFC 3339 time: \"" +
                   base::Ellipsize(*text, 40) + "\"");
  return *time;
}

Result<int64_t> CountOf(const Json& json, const char* field, int64_t fallback) {
  ASSIGN_OR_RETURN(std::optional<int64_t> value, base::OptionalInt(json, field));
  if (value && *value < 0) return Invalid(std::string(field) + " is negative");
  return value.value_or(fallback);
}

Result<std::string> DecodeScope(const Json& body) {
  ASSIGN_OR_RETURN(std::string scope, OptionalText(body, "scope", kMaxScope));
  if (scope.empty()) return std::string("project");
  if (scope == "project" || scope == "global") return scope;
  return Invalid("scope is \"" + scope + "\", it must be \"project\" or \"global\"");
}

Result<NewObservation> DecodeTexts(const Json& body, size_t most_tags) {
  if (!body.is_object()) return Invalid("the body must be a JSON object");
  NewObservation made;
  ASSIGN_OR_RETURN(made.session_id, RequiredText(body, "session_id", kMaxSessionId));
  ASSIGN_OR_RETURN(made.type, RequiredText(body, "type", kMaxType));
  ASSIGN_OR_RETURN(made.title, RequiredText(body, "title", kMaxTitle));
  ASSIGN_OR_RETURN(made.content, RequiredText(body, "content", kMaxContent));
  ASSIGN_OR_RETURN(made.project, RequiredText(body, "project", kMaxProject));
  ASSIGN_OR_RETURN(made.tags, DecodeTags(body, most_tags));
  ASSIGN_OR_RETURN(made.scope, DecodeScope(body));
  ASSIGN_OR_RETURN(made.topic_key, OptionalText(body, "topic_key", kMaxTopicKey));
  if (base::IsBlank(made.topic_key)) made.topic_key.clear();
  ASSIGN_OR_RETURN(made.source, DecodeSource(body));
  ASSIGN_OR_RETURN(made.replace_user, OptionalFlag(body, "replace_user"));
  return made;
}

}  // namespace

bool IsOrigin(std::string_view word) {
  return word == kOriginUser || word == kOriginAgent || word == kOriginRule ||
         word == kOriginToolOutput || word == kOriginImport;
}

std::string LowerOrigin(const std::string& left, const std::string& right) {
  for (const char* lowest : {kOriginToolOutput, kOriginImport, kOriginRule, kOriginAgent}) {
    if (left == lowest || right == lowest) return lowest;
  }
  return kOriginUser;
}

Result<std::string> RequiredText(const Json& body, const char* field, size_t limit) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, base::OptionalString(body, field));
  if (!text) return Invalid(std::string(field) + " is required");
  if (base::IsBlank(*text))
    return Invalid(std::string(field) + " is required and must not be blank");
  RETURN_IF_ERROR(CheckLength(field, *text, limit));
  return std::move(*text);
}

Result<std::string> OptionalText(const Json& body, const char* field, size_t limit) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, base::OptionalString(body, field));
  if (!text) return std::string();
  RETURN_IF_ERROR(CheckLength(field, *text, limit));
  return std::move(*text);
}

Result<std::vector<std::string>> DecodeTags(const Json& body, size_t most) {
  std::vector<std::string> tags;
  auto found = body.find("tags");
  if (found == body.end() || found->is_null()) return tags;
  if (!found->is_array()) return Invalid("tags must be an array of strings");
  if (found->size() > most) {
    return Invalid("tags has " + std::to_string(found->size()) + " entries, the limit is " +
                   std::to_string(most));
  }
  for (const Json& tag : *found) {
    std::string name = "tags[" + std::to_string(tags.size()) + "]";
    if (!tag.is_string()) return Invalid(name + " must be a string");
    tags.push_back(tag.get<std::string>());
    RETURN_IF_ERROR(CheckLength(name, tags.back(), kMaxTag));
  }
  return tags;
}

Result<Source> DecodeSource(const Json& body) {
  Source source;
  auto found = body.find("source");
  if (found != body.end() && !found->is_null()) {
    if (!found->is_object()) return Invalid("source must be an object");
    ASSIGN_OR_RETURN(source.tool, OptionalText(*found, "tool", kMaxSource));
    ASSIGN_OR_RETURN(source.tool_call_id, OptionalText(*found, "tool_call_id", kMaxSource));
    ASSIGN_OR_RETURN(source.rule, OptionalText(*found, "rule", kMaxSource));
    ASSIGN_OR_RETURN(source.origin, OptionalText(*found, "origin", kMaxSource));
  }
  return source;
}

Result<bool> OptionalFlag(const Json& body, const char* field) {
  const auto found = body.find(field);
  if (found == body.end() || found->is_null()) return false;
  if (!found->is_boolean()) return Invalid(std::string(field) + " must be true or false");
  return found->get<bool>();
}

Json EncodeSource(const Source& source) {
  Json json = Json::object();
  if (!source.tool.empty()) json["tool"] = source.tool;
  if (!source.tool_call_id.empty()) json["tool_call_id"] = source.tool_call_id;
  if (!source.rule.empty()) json["rule"] = source.rule;
  if (!source.origin.empty()) json["origin"] = source.origin;
  return json;
}

Result<NewObservation> DecodeNewObservation(const Json& body) {
  return DecodeTexts(body, kMaxTags);
}

Json EncodeNewObservation(const NewObservation& observation) {
  Json json = {{"session_id", observation.session_id},
               {"type", observation.type},
               {"title", observation.title},
               {"content", observation.content},
               {"project", observation.project},
               {"scope", observation.scope},
               {"tags", observation.tags}};
  if (!observation.topic_key.empty()) json["topic_key"] = observation.topic_key;
  Json source = EncodeSource(observation.source);
  if (!source.empty()) json["source"] = std::move(source);
  return json;
}

Json EncodeObservation(const Observation& observation) {
  return {{"id", observation.id},
          {"session_id", observation.session_id},
          {"type", observation.type},
          {"title", observation.title},
          {"content", observation.content},
          {"tags", observation.tags},
          {"project", observation.project},
          {"scope", observation.scope},
          {"topic_key", observation.topic_key},
          {"normalized_hash", observation.normalized_hash},
          {"revision_count", observation.revision_count},
          {"duplicate_count", observation.duplicate_count},
          {"last_seen_at", base::FormatTime(observation.last_seen_ms)},
          {"created_at", base::FormatTime(observation.created_ms)},
          {"updated_at", base::FormatTime(observation.updated_ms)},
          {"source", EncodeSource(observation.source)}};
}

Result<Observation> DecodeObservation(const Json& json) {
  ASSIGN_OR_RETURN(NewObservation made, DecodeTexts(json, kMaxTagsKept));
  Observation row;
  ASSIGN_OR_RETURN(row.id, CountOf(json, "id", 0));
  if (row.id >= int64_t{1} << 53) return Invalid("id must be below 2^53");
  row.session_id = std::move(made.session_id);
  row.type = std::move(made.type);
  row.title = std::move(made.title);
  row.content = std::move(made.content);
  row.project = std::move(made.project);
  row.tags = std::move(made.tags);
  row.scope = std::move(made.scope);
  row.topic_key = std::move(made.topic_key);
  row.source = std::move(made.source);
  row.normalized_hash = NormalizedHash(row.content);
  ASSIGN_OR_RETURN(row.revision_count, CountOf(json, "revision_count", 1));
  if (row.revision_count == 0) row.revision_count = 1;
  ASSIGN_OR_RETURN(row.duplicate_count, CountOf(json, "duplicate_count", 0));
  ASSIGN_OR_RETURN(row.created_ms, TimeOf(json, "created_at", 0));
  ASSIGN_OR_RETURN(row.updated_ms, TimeOf(json, "updated_at", row.created_ms));
  ASSIGN_OR_RETURN(row.last_seen_ms, TimeOf(json, "last_seen_at", row.updated_ms));
  return row;
}

Json EncodeSession(const Session& session) {
  Json json = {{"id", session.id},
               {"project", session.project},
               {"started_at", base::FormatTime(session.started_ms)},
               {"message_count", session.message_count}};
  if (session.ended_ms != 0) json["ended_at"] = base::FormatTime(session.ended_ms);
  if (!session.summary.empty()) json["summary"] = session.summary;
  if (!session.predecessor.empty()) json["predecessor"] = session.predecessor;
  return json;
}

std::string NormalizedHash(std::string_view content) {
  return base::Sha256Hex(base::CollapseWhitespace(base::FoldCase(content)));
}

void SummaryBuilder::Add(std::string_view role, std::string_view content) {
  ++added_;
  if (role == "tool") ++tool_results_;
  if (role != "user" && role != "assistant") return;
  ++counted_;
  if (role != "user") return;
  last_ = base::Ellipsize(content, kSummaryCharacters);
  if (++users_ == 1) first_ = last_;
}

std::string SummaryBuilder::Text() const {
  if (added_ == 0) return "";
  std::string text = "Session with " + std::to_string(counted_) + " messages.";
  if (users_ > 0) text += " Started: \"" + first_ + "\"";
  if (users_ > 1) text += " — Ended: \"" + last_ + "\"";
  return text;
}

}  // namespace api
