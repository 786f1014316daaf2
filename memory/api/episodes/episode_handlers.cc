// Decodes, calls the store, encodes.
#include "memory/api/episodes/episode_json.h"
#include "memory/api/handlers.h"
#include "memory/api/validate.h"

namespace memory {

using base::Json;
using base::Result;
using http::Request;
using http::Response;

namespace {

Response EpisodeAnswer(int status, const Result<Json>& answer) {
  return answer ? http::JsonResponse(status, *answer) : http::ErrorResponse(answer.error());
}

Response StoreEpisode(const Api& api, const Request& request) {
  const Result<EpisodeSaved> saved = [&]() -> Result<EpisodeSaved> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(Episode episode, DecodeEpisode(body));
    ASSIGN_OR_RETURN(episode.project, ProjectOf(request, body));
    ASSIGN_OR_RETURN(const api::Source source, api::DecodeSource(body));
    ASSIGN_OR_RETURN(const std::string key, IdempotencyKeyOf(request));
    return api.store.SaveEpisode(episode, source, {key, api.caller}, api.clock.NowMs());
  }();
  if (!saved) return http::ErrorResponse(saved.error());
  if (saved->key_reused) {
    return http::JsonResponse(
        422, {{"error",
               "the Idempotency-Key of this request came before with another body, which "
               "became episode " +
                   std::to_string(saved->id) + "; nothing was stored"},
              {"code", api::kKeyReused}});
  }
  return http::JsonResponse(
      saved->repeated ? 200 : 201,
      {{"id", saved->id}, {"created_at", base::FormatTime(saved->created_ms)}});
}

Response SearchEpisodes(const Api& api, const Request& request) {
  return EpisodeAnswer(200, [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(EpisodeQuestion question, DecodeEpisodeQuestion(body));
    ASSIGN_OR_RETURN(question.project, ProjectOf(request, body));
    question.stop = request.client_gone;
    ASSIGN_OR_RETURN(const auto found, api.store.SearchEpisodes(question));
    Json results = Json::array();
    for (const FoundEpisode& one : found) {
      results.push_back(EncodeEpisode(one.episode));
      results.back()["similarity"] = one.similarity;
      results.back()["method"] = one.method;
    }
    return Json{{"results", std::move(results)}};
  }());
}

Response GetEpisodes(const Api& api, const Request& request) {
  return EpisodeAnswer(200, [&]() -> Result<Json> {
    const std::string& conversation = request.parameters.at("conversation");
    RETURN_IF_ERROR(CheckConversation(conversation));
    ASSIGN_OR_RETURN(const std::string project, ProjectOf(request, Json::object()));
    ASSIGN_OR_RETURN(const auto episodes, api.store.EpisodesOf(project, conversation));
    Json memories = Json::array();
    for (const Episode& one : episodes) memories.push_back(EncodeEpisode(one));
    return Json{{"conversation_id", conversation}, {"memories", std::move(memories)}};
  }());
}

}  // namespace

HandlerTable EpisodeHandlers() {
  return {
      {"store_episode", StoreEpisode},
      {"search_episodes", SearchEpisodes},
      {"list_episodes", GetEpisodes},
  };
}

}  // namespace memory
