// Episodes: opens the transactions of saving and importing (keeping/episodes.h). A search ranks
// observations, limited to those of the agent and user.
#include "memory/keeping/episodes.h"

#include <algorithm>

#include "lib/api/limits.h"
#include "lib/base/json/stored.h"
#include "lib/base/limits/answer_charge.h"
#include "memory/sqlite/episodes/episode_rows.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/search_scope.h"
#include "memory/sqlite/writing/observation_rows.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Result;
using sql::Database;

namespace {

const char* NameOfMethod(Method method) {
  if (method == Method::kEmbedding) return "embedding";
  return method == Method::kFused ? "fused" : "lexical";
}

// 0…1: the share of the query's words in the row, or its similarity.
double LikenessOf(const Ranked& row, double whole) {
  return std::clamp(std::max(row.lexical / whole, double{row.similarity.value_or(0)}), 0.0, 1.0);
}

// Those of `slots` that are in `wanted`, which is sorted.
std::unordered_set<int64_t> Among(const std::vector<int64_t>& wanted,
                                  std::span<const int64_t> slots) {
  std::unordered_set<int64_t> found;
  for (const int64_t slot : slots)
    if (std::binary_search(wanted.begin(), wanted.end(), slot)) found.insert(slot);
  return found;
}

}  // namespace

Result<EpisodeSaved> Store::SaveEpisode(const Episode& given, const api::Source& source,
                                        const RequestKey& key, int64_t now_ms) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  const auto facts = [&](const std::string& title, const std::string& content) {
    return state_->Facts(title, content);
  };
  EpisodeSaving making(given, source, facts, state_->salt, state_->options.dedup_window_ms, now_ms);
  const KeyOfCaller kept = KeyOfEpisode(key, given, state_->salt, state_->options.idempotency_ms);
  return state_->writer->Run<EpisodeSaved>([&](Database& database) -> Result<EpisodeSaved> {
    SqliteEpisodes episodes(database);
    SqliteObservations observations(database);
    SqliteAnswers answers(database);
    return memory::SaveEpisode(episodes, observations, answers, making, kept);
  });
}

// The k nearest, whatever the query is; without any vector those with its words, then the newest.
// Caps each similarity by that of the row ranked before it.
Result<std::vector<FoundEpisode>> Store::SearchEpisodes(const EpisodeQuestion& question) {
  RankQuery query;
  query.text = question.text;
  query.type = kEpisodeType;
  query.limit = question.limit;
  query.deadline_ms = state_->options.query_deadline_ms;
  query.stop = question.stop;
  state_->SetMeaning(query);
  // A query of identifiers alone has nearest episodes, too.
  if (const Embedder* table = state_->options.embedder.get(); table && query.meaning.values.empty())
    query.meaning = {
        table->Embed(query.text), table->model(), table->weights(), false, nullptr, {}};
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Filter filter;
  filter.project = question.project;
  ASSIGN_OR_RETURN(const SearchScope scope, ResolveScope(snapshot.database(), filter, false));
  std::vector<FoundEpisode> found;
  if (!scope.all && scope.ranges.empty()) return found;
  query.ranges = scope.ranges;
  query.project = scope.project;
  ASSIGN_OR_RETURN(query.nearest_of, SlotsOfEpisodes(snapshot.database(), question));
  query.admits = [&](std::span<const int64_t> slots) { return Among(*query.nearest_of, slots); };
  ASSIGN_OR_RETURN(Ranking ranking, snapshot.ranker().Rank(query));
  if (ranking.behind) {
    state_->WaitForIndex();
    RETURN_IF_ERROR(snapshot.Renew());
    query.even_behind = true;
    ASSIGN_OR_RETURN(ranking, snapshot.ranker().Rank(query));
  }
  for (auto slot = query.nearest_of->rbegin();
       slot != query.nearest_of->rend() && ranking.rows.size() < question.limit; ++slot) {
    const auto is_known = [&](const Ranked& row) { return row.slot == *slot; };
    if (std::none_of(ranking.rows.begin(), ranking.rows.end(), is_known))
      ranking.rows.push_back({*slot, 0, 0, {}, Method::kLexical});
  }
  size_t bytes = 0;
  base::AnswerCharge charge;
  double similarity = 1;
  for (const Ranked& row : ranking.rows) {
    similarity = std::min(similarity, LikenessOf(row, ranking.whole));
    if (similarity < question.min_similarity) break;
    ASSIGN_OR_RETURN(auto episodes, EpisodesAt(snapshot.database(), row.slot, question));
    for (Episode& episode : episodes) {
      if (found.size() >= question.limit || bytes > kAnswerBytes) return found;
      const size_t row_bytes =
          JsonBytes(episode.summary) +
          std::max(api::kMaxEpisodeFields,
                   base::WeightOf(episode.metadata) + base::WeightOf(episode.key_decisions) +
                       base::WeightOf(episode.entities) + base::WeightOf(episode.tools_used));
      RETURN_IF_ERROR(charge.Add(row_bytes));
      bytes += row_bytes;
      found.push_back(
          {std::move(episode), similarity, row.score == 0 ? "recency" : NameOfMethod(row.method)});
    }
  }
  return found;
}

Result<std::vector<Episode>> Store::EpisodesOf(const std::string& project,
                                               const std::string& conversation) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  SqliteEpisodes rows(snapshot.database());
  ASSIGN_OR_RETURN(const auto number, rows.FindProject(project));
  return number ? rows.OfConversation(*number, conversation) : std::vector<Episode>();
}

Result<std::vector<bool>> Store::ImportEpisodes(const std::vector<Episode>& episodes) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<std::vector<bool>>([&](Database& database) {
    SqliteEpisodes rows(database);
    return memory::ImportEpisodes(rows, episodes);
  });
}

}  // namespace memory
