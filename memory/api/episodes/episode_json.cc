// Validates episodes.
#include "memory/api/episodes/episode_json.h"

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/api/operations/operations.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

Error InvalidEpisode(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

// A list of strings, or of strings and objects; absent and null: empty.
Result<Json> ListField(const Json& body, const char* field, bool objects) {
  const auto found = body.find(field);
  if (found == body.end() || found->is_null()) return Json::array();
  const char* wanted =
      objects ? " must be a list of strings or objects" : " must be a list of strings";
  if (!found->is_array()) return InvalidEpisode(std::string(field) + wanted);
  for (const Json& one : *found)
    if (!one.is_string() && !(objects && one.is_object()))
      return InvalidEpisode(std::string(field) + wanted);
  return *found;
}

}  // namespace

Json EncodeEpisode(const Episode& episode) {
  return {{"id", episode.id},
          {"conversation_id", episode.conversation},
          {"agent_id", episode.agent},
          {"user_id", episode.user ? Json(*episode.user) : Json()},
          {"summary", episode.summary},
          {"key_decisions", episode.key_decisions},
          {"entities", episode.entities},
          {"tools_used", episode.tools_used},
          {"metadata", episode.metadata},
          {"created_at", base::FormatTime(episode.created_ms)}};
}

Status CheckConversation(const std::string& id) {
  if (base::IsBlank(id)) return InvalidEpisode("conversation_id is required");
  if (id.size() <= api::kMaxConversationBytes) return {};
  return InvalidEpisode("conversation_id has " + std::to_string(id.size()) +
                        " bytes, the limit is " + std::to_string(api::kMaxConversationBytes));
}

Result<Episode> DecodeEpisode(const Json& body, size_t levels) {
  Episode read;
  ASSIGN_OR_RETURN(read.conversation, base::RequiredString(body, "conversation_id"));
  RETURN_IF_ERROR(CheckConversation(read.conversation));
  ASSIGN_OR_RETURN(read.agent, api::RequiredText(body, "agent_id", api::kMaxEpisodeName));
  ASSIGN_OR_RETURN(read.summary, api::RequiredText(body, "summary", api::kMaxContent));
  ASSIGN_OR_RETURN(const std::string user,
                   api::OptionalText(body, "user_id", api::kMaxEpisodeName));
  if (!user.empty()) read.user = user;
  ASSIGN_OR_RETURN(read.key_decisions, ListField(body, "key_decisions", true));
  ASSIGN_OR_RETURN(read.entities, ListField(body, "entities", true));
  ASSIGN_OR_RETURN(read.tools_used, ListField(body, "tools_used", false));
  if (const auto given = body.find("metadata"); given != body.end() && !given->is_null()) {
    if (!given->is_object()) return InvalidEpisode("metadata must be an object");
    read.metadata = *given;
  }
  size_t bytes = 0;
  for (const auto& [field, part] :
       {std::pair("key_decisions", &read.key_decisions), std::pair("entities", &read.entities),
        std::pair("tools_used", &read.tools_used), std::pair("metadata", &read.metadata)}) {
    RETURN_IF_ERROR(base::CheckLevels(field, *part, levels));
    bytes += base::DumpJson(*part).size();
  }
  if (bytes > api::kMaxEpisodeFields) {
    return Error{Code::kTooLarge, "key_decisions, entities, tools_used and metadata have " +
                                      std::to_string(bytes) + " bytes of JSON, the limit is " +
                                      std::to_string(api::kMaxEpisodeFields)};
  }
  ASSIGN_OR_RETURN(const auto created, base::OptionalString(body, "created_at"));
  if (!created) return read;
  const Result<int64_t> time = base::ParseTime(*created);
  if (!time) return InvalidEpisode("created_at is not an RFC 3339 time");
  read.created_ms = *time;
  return read;
}

Result<EpisodeQuestion> DecodeEpisodeQuestion(const Json& body) {
  EpisodeQuestion question;
  ASSIGN_OR_RETURN(question.text, api::RequiredText(body, "query", api::kMaxQuestion));
  ASSIGN_OR_RETURN(question.agent, api::RequiredText(body, "agent_id", api::kMaxEpisodeName));
  ASSIGN_OR_RETURN(const std::string user,
                   api::OptionalText(body, "user_id", api::kMaxEpisodeName));
  if (!user.empty()) question.user = user;
  ASSIGN_OR_RETURN(const auto top, base::OptionalInt(body, "top_k"));
  if (const int64_t most = api::MostOf("search_episodes", "top_k");
      top && (*top < 1 || *top > most))
    return InvalidEpisode("top_k must be a whole number from 1 to " + std::to_string(most) +
                          ", it is " + std::to_string(*top));
  if (top) question.limit = static_cast<size_t>(*top);
  const auto least = body.find("min_similarity");
  if (least == body.end() || least->is_null()) return question;
  if (!least->is_number() || *least < 0 || *least > 1)
    return InvalidEpisode("min_similarity must be a number from 0 to 1, it is " + least->dump());
  question.min_similarity = least->get<double>();
  return question;
}

Json EncodeExportedEpisode(const Episode& episode) {
  Json json = EncodeEpisode(episode);
  json["project"] = episode.project;
  return json;
}

Result<Episode> DecodeExportedEpisode(const Json& json) {
  if (!json.is_object()) return InvalidEpisode("an episode must be an object");
  ASSIGN_OR_RETURN(Episode read, DecodeEpisode(json, base::kMaxImportedLevels));
  ASSIGN_OR_RETURN(read.project, api::RequiredText(json, "project", api::kMaxProject));
  ASSIGN_OR_RETURN(const auto id, base::OptionalInt(json, "id"));
  read.id = id.value_or(0);
  if (read.id < 0 || read.id >= int64_t{1} << 53) read.id = 0;
  return read;
}

}  // namespace memory
