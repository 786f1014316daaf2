// Finds traces: ranks observations of the context, orders them by a score of named parts, and
// records retrievals.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "lib/base/json/stored.h"
#include "lib/base/limits/answer_charge.h"
#include "lib/base/text/text.h"
#include "memory/model/told_apart.h"
#include "memory/sqlite/tables/search_scope.h"
#include "memory/sqlite/traces/sqlite_traces.h"
#include "memory/sqlite/traces/trace_edges.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;

namespace {

constexpr double kRecencyMs = 30.0 * 86'400'000;  // after which recency is 1/e
constexpr size_t kAnchors = 3;                    // best matches, whose edges lend score
constexpr size_t kCandidates = 4;                 // scored ones per requested one
constexpr size_t kLeastCandidates = 40;
constexpr size_t kCompared = 20;            // matches whose similarity is compared
constexpr size_t kMostRetrievals = 65'536;  // of traces, in memory; further ones are dropped
constexpr size_t kMostPairs = 20'000;       // likewise
constexpr size_t kShares = 8;               // one caller's part of both is an eighth
constexpr int64_t kPairsOfTrace = 16;       // in the file, with traces behind it: the most frequent
constexpr size_t kTogether = 5;             // best of an answer: any two of them are a pair
constexpr size_t kRetrievalsAtOnce = 1000;
constexpr size_t kLightMetadata = 2 << 10;  // that a candidate keeps while it is scored

double NumberAt(const base::Json& object, const char* field, double fallback) {
  const auto found = object.find(field);
  return found != object.end() && found->is_number() ? found->get<double>() : fallback;
}

// A pair of live traces. The least frequent of a trace give way, so that the table grows with the
// traces, not with their reads.
Status KeepPair(Database& database, int64_t low, int64_t high, int64_t times) {
#define MEMORY_LIVE_TRACE(slot)                                                                \
  "EXISTS (SELECT 1 FROM traces t JOIN observations o ON o.slot = t.slot WHERE t.slot = " slot \
  " AND o.deleted_ms IS NULL)"
  ASSIGN_OR_RETURN(
      sql::Statement keep,
      database.Prepare("INSERT INTO trace_pairs SELECT ?1, ?2, ?3 WHERE " MEMORY_LIVE_TRACE(
          "?1") " AND " MEMORY_LIVE_TRACE("?2") " ON CONFLICT(low, high) DO UPDATE SET times = "
                                                "trace_pairs.times + "
                                                "excluded.times"));
  RETURN_IF_ERROR(keep.Bind(low).Bind(high).Bind(times).Run());
  ASSIGN_OR_RETURN(sql::Statement trim,
                   database.Prepare("DELETE FROM trace_pairs WHERE low = ?1 AND high IN (SELECT "
                                    "high FROM trace_pairs WHERE low = ?1 ORDER BY high = ?2 DESC, "
                                    "times DESC, high LIMIT 9223372036854775807 OFFSET ?3)"));
  return trim.Bind(low).Bind(high).Bind(kPairsOfTrace).Run();
}

// The weighted mean of the known parts.
double ScoreOf(const TraceScores& parts, const TraceWeights& weights, bool by_meaning, bool mood) {
  double sum = weights.lexical * parts.lexical + weights.strength * parts.strength +
               weights.recency * parts.recency + weights.graph * parts.graph +
               weights.importance * parts.importance;
  double whole =
      weights.lexical + weights.strength + weights.recency + weights.graph + weights.importance;
  if (by_meaning) sum += weights.similarity * parts.similarity, whole += weights.similarity;
  if (mood) sum += weights.emotion * parts.emotion, whole += weights.emotion;
  return whole > 0 ? sum / whole : 0;
}

// The similarity of a trace's mood to that of the query; 0: unknown.
double CongruenceOf(const TraceRow& row, std::optional<double> valence) {
  if (!valence || !row.emotions.contains("valence")) return 0;
  return std::clamp(1 - std::abs(NumberAt(row.emotions, "valence", 0) - *valence) / 2, 0.0, 1.0);
}

// The Jaccard index of the words of two texts, 0…1.
double CommonWords(std::string_view left, std::string_view right) {
  const auto words_of = [](std::string_view text) {
    const auto words = base::Split(base::CollapseWhitespace(base::FoldCase(text)), ' ');
    return std::set<std::string>(words.begin(), words.end());
  };
  const auto a = words_of(left), b = words_of(right);
  size_t common = 0;
  for (const std::string& word : a) common += b.count(word);
  const size_t all = a.size() + b.size() - common;
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

TraceScores PartsOf(const TraceRow& row, const Ranked& ranked, double whole, double strength,
                    std::optional<double> valence, int64_t now_ms) {
  TraceScores parts;
  parts.lexical = std::clamp(ranked.lexical / whole, 0.0, 1.0);
  parts.similarity = std::clamp(double{ranked.similarity.value_or(0)}, 0.0, 1.0);
  parts.strength = strength;
  parts.emotion = CongruenceOf(row, valence);
  const auto age = static_cast<double>(std::max<int64_t>(0, now_ms - row.row.updated_ms));
  parts.recency = std::exp(-age / kRecencyMs);
  parts.importance = std::clamp(NumberAt(row.metadata, "importance", 0.5), 0.0, 1.0);
  return parts;
}

}  // namespace

Result<Ranking> SqliteTraces::Rank(Snapshot& snapshot, const TraceContext& context,
                                   const TraceQuestion& question, RankQuery query) {
  Filter filter;
  filter.project = context.project;
  ASSIGN_OR_RETURN(const SearchScope scope, ResolveScope(snapshot.database(), filter, true));
  if (!scope.all && scope.ranges.empty()) return Ranking();
  query.ranges = scope.ranges;
  query.project = scope.project;
  query.admits = [&](std::span<const int64_t> slots) -> Result<std::unordered_set<int64_t>> {
    std::unordered_set<int64_t> admitted;
    for (const int64_t slot : slots) {
      ASSIGN_OR_RETURN(const auto row, ReadTrace(snapshot.database(), slot));
      if (row && row->live && IsVisible(*row, context) &&
          (question.kind.empty() || KindOf(row->row) == question.kind) &&
          (question.scope.empty() || row->scope == question.scope))
        admitted.insert(slot);
    }
    return admitted;
  };
  ASSIGN_OR_RETURN(Ranking ranking, snapshot.ranker().Rank(query));
  if (!ranking.behind) return ranking;
  const bool waited = parts_.wait_for_index();
  RETURN_IF_ERROR(snapshot.Renew());
  query.even_behind = true;
  ASSIGN_OR_RETURN(ranking, snapshot.ranker().Rank(query));
  ranking.partial = ranking.partial || !waited;
  return ranking;
}

// Runs before a connection is taken, since it may wait for the remote model.
RankQuery SqliteTraces::QueryOf(const TraceQuestion& question, size_t limit) const {
  RankQuery query;
  query.text = question.text;
  query.operators = question.operators;
  query.limit = limit;
  query.stop = question.stop;
  parts_.prepare(query);
  return query;
}

Result<FoundTraces> SqliteTraces::Search(const TraceContext& context,
                                         const TraceQuestion& question) {
  const int64_t now_ms = parts_.writing.decay_now();
  RankQuery query = QueryOf(question, std::max(kLeastCandidates, kCandidates * question.limit));
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(const Ranking ranking, Rank(snapshot, context, question, std::move(query)));
  std::vector<int64_t> slots;
  ASSIGN_OR_RETURN(FoundTraces found, Score(snapshot, ranking, question, now_ms, slots));
  NoteRetrieved(context, found.rows, slots, now_ms);
  return found;
}

Result<double> SqliteTraces::Nearest(const TraceContext& context, const std::string& text) {
  TraceQuestion question;
  question.text = text;
  RankQuery query = QueryOf(question, kCompared);
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(const Ranking ranking, Rank(snapshot, context, question, std::move(query)));
  double nearest = 0;
  const std::vector<std::string> telling = TellingWords(text);
  for (const Ranked& ranked : ranking.rows) {
    ASSIGN_OR_RETURN(const auto row, ReadTrace(snapshot.database(), ranked.slot));
    if (!row || TellingWords(row->row.content) != telling) continue;
    const double alike = std::max(CommonWords(text, row->row.content),
                                  ranking.by_meaning ? double{ranked.similarity.value_or(0)} : 0);
    nearest = std::max(nearest, std::clamp(alike, 0.0, 1.0));
  }
  return nearest;
}

Result<FoundTraces> SqliteTraces::Score(Snapshot& snapshot, const Ranking& ranking,
                                        const TraceQuestion& question, int64_t now_ms,
                                        std::vector<int64_t>& slots) {
  Database& database = snapshot.database();
  std::unordered_map<int64_t, double> lent;  // scores from edges of the best matches
  for (const Ranked& anchor :
       std::span(ranking.rows).first(std::min(kAnchors, ranking.rows.size()))) {
    ASSIGN_OR_RETURN(const auto edges, EdgesFrom(database, anchor.slot));
    for (const EdgeRow& edge : edges) lent[edge.to] += edge.weight;
  }
  struct Scored {
    int64_t slot;
    FoundTrace found;
    size_t bytes;
    bool heavy;  // without its metadata, which many candidates cannot have at once
  };
  std::vector<Scored> scored;
  base::AnswerCharge charge;
  for (const Ranked& ranked : ranking.rows) {
    ASSIGN_OR_RETURN(const auto row, Read(database, ranked.slot));
    if (!row) continue;
    Scored one{ranked.slot,
               {TraceOf(*row, now_ms, parts_.writing.strength), 0, {}},
               WeightOf(*row),
               false};
    const size_t metadata = base::WeightOf(row->metadata);
    one.heavy = metadata > kLightMetadata;
    if (one.heavy) one.found.trace.metadata = nullptr;
    RETURN_IF_ERROR(charge.Add(one.bytes - (one.heavy ? metadata : 0)));
    one.found.scores =
        PartsOf(*row, ranked, ranking.whole, one.found.trace.strength, question.valence, now_ms);
    if (const auto edge = lent.find(ranked.slot); edge != lent.end())
      one.found.scores.graph = std::clamp(edge->second, 0.0, 1.0);
    one.found.score =
        ScoreOf(one.found.scores, parts_.weights, ranking.by_meaning, question.valence.has_value());
    scored.push_back(std::move(one));
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.found.score > b.found.score; });
  FoundTraces answer{{}, ranking.partial};
  size_t bytes = 0;
  for (Scored& one : scored) {
    if (answer.rows.size() >= question.limit) break;
    bytes += one.bytes;
    answer.partial = answer.partial || bytes > kAnswerBytes;
    if (bytes > kAnswerBytes && !answer.rows.empty()) break;
    if (one.heavy) {
      RETURN_IF_ERROR(charge.Add(one.bytes));
      ASSIGN_OR_RETURN(auto row, Read(database, one.slot));
      if (row) one.found.trace.metadata = std::move(row->metadata);
    }
    slots.push_back(one.slot);
    answer.rows.push_back(std::move(one.found));
  }
  return answer;
}

void SqliteTraces::NoteRetrieved(const TraceContext& context, const std::vector<FoundTrace>& found,
                                 const std::vector<int64_t>& slots, int64_t now_ms) {
  std::vector<int64_t> observations;
  for (const FoundTrace& one : found) observations.push_back(one.trace.observation);
  parts_.used(std::move(observations));
  retrievals_.With([&](Retrievals& mine) {
    Retrievals::Share& share =
        mine.shares[context.project + "\n" + context.user + "\n" + context.agent];
    const auto admits = [](const auto& all, size_t most, size_t& part, const auto& key) {
      if (all.contains(key)) return true;
      const bool room = all.size() < most && part < most / kShares;
      part += room;
      return room;
    };
    for (int64_t slot : slots) {
      if (!admits(mine.traces, kMostRetrievals, share.traces, slot)) continue;
      Retrieval& noted = mine.traces[slot];
      ++noted.times;
      noted.last_ms = std::max(noted.last_ms, now_ms);
    }
    const auto together = std::span(slots).first(std::min(kTogether, slots.size()));
    for (size_t i = 0; i < together.size(); ++i) {
      for (size_t j = i + 1; j < together.size(); ++j) {
        const std::pair<int64_t, int64_t> pair = std::minmax(together[i], together[j]);
        if (admits(mine.pairs, kMostPairs, share.pairs, pair)) ++mine.pairs[pair];
      }
    }
  });
}

Status SqliteTraces::KeepPairs(const Pairs& pairs) {
  const std::vector<std::pair<std::pair<int64_t, int64_t>, int64_t>> list(pairs.begin(),
                                                                          pairs.end());
  for (size_t first = 0; first < list.size(); first += kRetrievalsAtOnce) {
    const auto part =
        std::span(list).subspan(first, std::min(kRetrievalsAtOnce, list.size() - first));
    RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
      for (const auto& [pair, times] : part)
        RETURN_IF_ERROR(KeepPair(database, pair.first, pair.second, times));
      return {};
    }));
  }
  return {};
}

// Pairs are a hint: those that cannot be persisted are dropped.
Status SqliteTraces::KeepRetrievals() {
  const Retrievals taken =
      retrievals_.With([](Retrievals& mine) { return std::exchange(mine, Retrievals()); });
  (void)KeepPairs(taken.pairs);
  const std::vector<std::pair<int64_t, Retrieval>> list(taken.traces.begin(), taken.traces.end());
  for (size_t first = 0; first < list.size(); first += kRetrievalsAtOnce) {
    const auto part =
        std::span(list).subspan(first, std::min(kRetrievalsAtOnce, list.size() - first));
    const Status kept = parts_.writer.RunAny([&](Database& database) -> Status {
      for (const auto& [slot, noted] : part) {
        ASSIGN_OR_RETURN(auto row, ReadTrace(database, slot));
        if (!row || !row->stored) continue;
        row->strength = Retrieved(row->strength, KindOf(row->row), row->remind_ms, noted.times,
                                  noted.last_ms, parts_.writing.strength);
        RETURN_IF_ERROR(PutTrace(database, *row));
      }
      return {};
    });
    if (kept) continue;
    retrievals_.With([&](Retrievals& mine) {
      for (const auto& [slot, noted] : std::span(list).subspan(first)) {
        mine.traces[slot].times += noted.times;
        mine.traces[slot].last_ms = std::max(mine.traces[slot].last_ms, noted.last_ms);
      }
    });
    return kept;
  }
  return {};
}

size_t SqliteTraces::CountRetrievals() const {
  return retrievals_.With([](const Retrievals& mine) { return mine.traces.size(); });
}

}  // namespace memory
