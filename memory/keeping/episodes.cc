// An observation and its episode, in one transaction.
#include "memory/keeping/episodes.h"

#include <string_view>
#include <utility>

#include "lib/base/text/text.h"
#include "memory/model/session_names.h"

namespace memory {

using base::Json;
using base::Result;

namespace {

constexpr size_t kTitleCharacters = 120;
constexpr size_t kMostTags = 20, kTagCharacters = 100;  // the API's

// Tags are tools and names of entities.
api::NewObservation ObservationOf(const Episode& episode, const api::Source& source) {
  api::NewObservation made;
  made.type = kEpisodeType;
  made.session_id = episode.conversation;
  made.source = source;
  const std::string_view summary = base::Trim(episode.summary);
  made.title = base::Ellipsize(summary.substr(0, summary.find('\n')), kTitleCharacters);
  made.content = episode.summary;
  made.project = episode.project;
  auto add = [&](const std::string& tag) {
    const std::string cut(base::Prefix(base::Trim(tag), kTagCharacters));
    if (!base::IsBlank(cut) && made.tags.size() < kMostTags) made.tags.push_back(cut);
  };
  for (const Json& tool : episode.tools_used)
    if (tool.is_string()) add(tool.get<std::string>());
  for (const Json& entity : episode.entities)
    add(entity.is_string() ? entity.get<std::string>()
                           : base::StringAt(entity, {"name"}, base::StringAt(entity, {"id"})));
  return made;
}

// The body in the form for the digest of an Idempotency-Key.
api::NewObservation BodyOfKey(const Episode& episode) {
  api::NewObservation body;
  body.project = episode.project;
  body.session_id = episode.conversation;
  body.type = kEpisodeType;
  body.title = episode.agent;
  body.content =
      base::DumpJson({episode.user.value_or(""), episode.summary, episode.key_decisions,
                      episode.entities, episode.tools_used, episode.metadata, episode.created_ms});
  return body;
}

Episode Dated(Episode episode, int64_t now_ms) {
  if (episode.created_ms == 0) episode.created_ms = now_ms;
  return episode;
}

Saving SavingOf(const api::NewObservation& made, const FactsOfRow& facts_of,
                const std::string& salt, int64_t dedup_window_ms, int64_t now_ms) {
  return {made, facts_of(made.title, made.content), salt, dedup_window_ms, now_ms};
}

// With its own id if that is free.
Result<int64_t> InsertEpisode(EpisodeRows& rows, int64_t project, int64_t observation,
                              const Episode& episode) {
  bool is_free = episode.id > 0;
  if (is_free) {
    ASSIGN_OR_RETURN(const bool taken, rows.HasId(episode.id));
    is_free = !taken;
  }
  return rows.Insert(project, observation, episode, is_free ? episode.id : 0);
}

}  // namespace

EpisodeSaving::EpisodeSaving(const Episode& given, const api::Source& source,
                             const FactsOfRow& facts_of, const std::string& salt,
                             int64_t dedup_window_ms, int64_t now_ms)
    : episode(Dated(given, now_ms)),
      saving(SavingOf(ObservationOf(given, source), facts_of, salt, dedup_window_ms, now_ms)) {}

KeyOfCaller KeyOfEpisode(const RequestKey& key, const Episode& given, const std::string& salt,
                         int64_t kept_ms) {
  const RequestKey own(key.key.empty() ? "" : "episode " + key.key, key.caller);
  return {own, BodyOfKey(given), salt, kept_ms};
}

Result<EpisodeSaved> SaveEpisode(EpisodeRows& episodes, Observations& observations,
                                 Answers& answers, EpisodeSaving& making, const KeyOfCaller& key) {
  const Episode& episode = making.episode;
  Saving& saving = making.saving;
  ASSIGN_OR_RETURN(const auto answer, FindAnswer(answers, key, saving.now_ms));
  if (answer && answer->key_reused) return EpisodeSaved{answer->id, 0, false, true};
  if (answer) {
    ASSIGN_OR_RETURN(const auto first, episodes.Find(answer->id));
    return EpisodeSaved{answer->id, first ? first->created_ms : saving.now_ms, true, false};
  }
  ASSIGN_OR_RETURN(const int64_t project, episodes.FindOrAddProject(episode.project));
  ASSIGN_OR_RETURN(const auto same, episodes.FindSame(project, episode));
  EpisodeSaved saved;
  if (same) {
    saved = {same->id, same->created_ms, true, false};
  } else {
    ASSIGN_OR_RETURN(const bool elsewhere, episodes.IsElsewhere(episode.conversation, project));
    saving.made.session_id =
        elsewhere ? OtherSessionName("episodes-", episode.project, episode.conversation)
                  : episode.conversation;
    ASSIGN_OR_RETURN(const Saved row, SaveObservation(observations, saving));
    ASSIGN_OR_RETURN(saved.id, InsertEpisode(episodes, project, row.id, episode));
    saved.created_ms = episode.created_ms;
  }
  RETURN_IF_ERROR(KeepAnswer(answers, key, Saved{saved.id, "created"}, saving.now_ms));
  return saved;
}

Result<std::vector<bool>> ImportEpisodes(EpisodeRows& rows, const std::vector<Episode>& episodes) {
  std::vector<bool> taken;
  for (const Episode& episode : episodes) {
    taken.push_back(false);
    ASSIGN_OR_RETURN(const auto project, rows.FindProject(episode.project));
    if (!project) continue;
    ASSIGN_OR_RETURN(const auto same, rows.FindSame(*project, episode));
    if (same) continue;
    ASSIGN_OR_RETURN(const auto observation, rows.FindObservation(*project, episode));
    if (!observation) continue;
    RETURN_IF_ERROR(InsertEpisode(rows, *project, *observation, episode));
    taken.back() = true;
  }
  return taken;
}

}  // namespace memory
