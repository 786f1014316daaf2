// Reading and finding observations; lists are in lists.cc. Every call reads one snapshot.
#include <algorithm>
#include <span>

#include "lib/base/json/json.h"
#include "lib/base/limits/answer_charge.h"
#include "lib/base/text/identifier.h"
#include "lib/base/text/text.h"
#include "memory/sqlite/reading/as_of.h"
#include "memory/sqlite/store/newest.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/traces/strength_order.h"
#include "memory/store/answer_limit.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kFurtherRows = 10;  // ranked ones that strength may lift into a recall

struct StrengthNow {
  StrengthRules rules;
  int64_t now_ms = 0;
};

// Ranks the matches in a scope; waits until pending rows are indexed.
Result<Ranking> RankInScope(Snapshot& snapshot, const std::function<bool()>& wait_for_index,
                            const SearchScope& scope, const Filter& filter, RankQuery query) {
  if ((!scope.all && scope.ranges.empty()) || filter.limit == 0) return Ranking();
  query.ranges = scope.ranges;
  query.project = scope.project;
  query.type = filter.type;
  query.limit = std::max(query.limit, filter.limit);
  if (filter.viewer) {
    query.admits = [&](std::span<const int64_t> slots) {
      return SeenBy(snapshot.database(), *filter.viewer, slots);
    };
  }
  ASSIGN_OR_RETURN(Ranking ranking, snapshot.ranker().Rank(query));
  if (!ranking.behind) return ranking;
  const bool partial = !wait_for_index();
  RETURN_IF_ERROR(snapshot.Renew());
  query.even_behind = true;
  ASSIGN_OR_RETURN(ranking, snapshot.ranker().Rank(query));
  ranking.partial = ranking.partial || partial;
  return ranking;
}

const char* NameOf(Method method) {
  switch (method) {
    case Method::kEmbedding:
      return "embedding";
    case Method::kFused:
      return "fused";
    case Method::kLexical:
      break;
  }
  return "fts5_bm25";
}

Found FoundAs(Observation row, const Ranked& ranked, bool by_meaning) {
  Found found{std::move(row), -ranked.score, NameOf(ranked.method)};
  if (by_meaning) found.scores = FoundScores{ranked.lexical, ranked.similarity, ranked.signals};
  return found;
}

// `strength`: of a recall, which also orders by it.
Result<SearchResult> RankRows(Snapshot& snapshot, const std::function<bool()>& wait_for_index,
                              const SearchScope& scope, const Filter& filter, RankQuery query,
                              const StrengthNow* strength = nullptr) {
  SearchResult result;
  const bool cut = query.neighbours;
  query.limit = strength ? filter.limit + std::min(filter.limit, kFurtherRows) : filter.limit;
  ASSIGN_OR_RETURN(Ranking ranking,
                   RankInScope(snapshot, wait_for_index, scope, filter, std::move(query)));
  result.partial = ranking.partial;
  if (strength) {
    RETURN_IF_ERROR(
        OrderByStrength(snapshot.database(), ranking.rows, strength->now_ms, strength->rules));
    if (ranking.rows.size() > filter.limit) ranking.rows.resize(filter.limit);
  }
  size_t bytes = 0;
  base::AnswerCharge charge;
  std::vector<int64_t> slots;
  for (const Ranked& ranked : ranking.rows) slots.push_back(ranked.slot);
  ObservationsInTurn rows(snapshot.database(), std::move(slots));
  for (const Ranked& ranked : ranking.rows) {
    ASSIGN_OR_RETURN(std::optional<Observation> row, rows.Next());
    if (!row) continue;
    result.rows.push_back(FoundAs(*std::move(row), ranked, ranking.by_meaning));
    Observation& found = result.rows.back().row;
    // Of a recall, which has neighbours and goes into a prompt in part.
    if (cut) found.content = base::Ellipsize(found.content, api::kContextCharacters);
    const size_t row_bytes = AnswerBytes(found);
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    if (bytes <= kAnswerBytes) continue;
    result.partial = true;
    break;
  }
  return result;
}

// The same as of `filter.as_of_ms`: live rows whose text is unchanged since.
Result<SearchResult> RankRowsAsOf(Snapshot& snapshot, const std::function<bool()>& wait_for_index,
                                  const SearchScope& scope, const Filter& filter, RankQuery query,
                                  const SupersededTexts& replaced) {
  if (filter.limit == 0) return SearchResult();
  Database& database = snapshot.database();
  Filter wide = filter;
  wide.limit = api::kMaxRows;
  const std::string text = query.text;
  const bool operators = query.operators;
  ASSIGN_OR_RETURN(Ranking ranking,
                   RankInScope(snapshot, wait_for_index, scope, wide, std::move(query)));
  SearchResult result;
  result.partial = ranking.partial || replaced.partial || ranking.rows.size() == wide.limit;
  std::vector<RankedText> matches;
  for (const Ranked& scored : ranking.rows) {
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT id, updated_ms FROM observations WHERE slot = ?1"));
    read.Bind(scored.slot);
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (row && read.Int(1) <= *filter.as_of_ms)
      matches.push_back({{scored.slot, read.Int(0), 0, read.Int(1)}, -scored.score});
  }
  ASSIGN_OR_RETURN(RankedAsOf ranked,
                   RankAsOf(database, std::move(matches), replaced, text, operators));
  result.partial = result.partial || ranked.partial;
  size_t bytes = 0;
  base::AnswerCharge charge;
  for (const RankedText& found : ranked.texts) {
    if (result.rows.size() >= filter.limit) break;
    if (bytes > kAnswerBytes) {
      result.partial = true;
      break;
    }
    ASSIGN_OR_RETURN(Observation row, LoadText(database, found.text));
    const size_t row_bytes = AnswerBytes(row);
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    result.rows.push_back({std::move(row), found.rank, "fts5_bm25"});
  }
  return result;
}

// The first superseded texts, up to the length of a list by recency.
Result<std::vector<Observation>> LoadNewest(Database& database, const SupersededTexts& replaced,
                                            size_t most) {
  std::vector<Observation> rows;
  size_t bytes = 0;
  base::AnswerCharge charge;
  for (const Text& text : replaced.texts) {
    if (rows.size() >= most || bytes > kAnswerBytes) break;
    ASSIGN_OR_RETURN(Observation row, LoadText(database, text));
    const size_t row_bytes = AnswerBytes(row);
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<int64_t> LiveSlot(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(std::optional<Place> place, FindRow(database, id));
  if (!place || !place->live)
    return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
  return place->slot;
}

// A range of revision numbers, inclusive, and the maximum count, newest first.
struct RevisionRange {
  int64_t first = 1, last = INT64_MAX;
  size_t limit = SIZE_MAX;
};

// The newest that fit into one answer, newest first.
Result<std::vector<Revision>> ReadRevisions(Database& database, int64_t id, int64_t slot,
                                            const RevisionRange& wanted) {
  std::vector<Revision> revisions;
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT revision, replaced_ms, written_ms, type, title, content, origin, tags "
          "FROM revisions WHERE id = ?1 AND revision BETWEEN ?3 AND ?4 "
          "AND replaced_ms > (SELECT kept_since(o.project, o.scope, o.type) "
          "FROM observations o WHERE o.slot = ?2) UNION ALL "
          "SELECT revision_count, 0, updated_ms, type, title, content, origin, tags "
          "FROM observations WHERE slot = ?2 AND revision_count BETWEEN ?3 AND ?4 "
          "ORDER BY 1 DESC"));
  read.Bind(id).Bind(slot).Bind(wanted.first).Bind(wanted.last);
  if (wanted.limit == 0) return revisions;
  base::AnswerCharge charge;
  size_t bytes = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Result<bool> {
    ASSIGN_OR_RETURN(base::Json tags, base::ParseJson(row.Text(7)));
    revisions.push_back({row.Int(0), row.Int(1), row.Int(2), row.Text(3), row.Text(4), row.Text(5),
                         row.Text(6), tags.get<std::vector<std::string>>()});
    const size_t row_bytes = AnswerBytes(revisions.back());
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    return bytes <= kAnswerBytes && revisions.size() < wanted.limit;
  }));
  return revisions;
}

// Results of a query count as used; of a long list only the first ones.
void NoteUse(Liveness& liveness, const std::vector<Found>& rows) {
  constexpr size_t kHead = 20;
  std::vector<int64_t> ids;
  for (const Found& found : std::span(rows).first(std::min(rows.size(), kHead)))
    ids.push_back(found.row.id);
  liveness.Use(ids);
}

}  // namespace

Result<Observation> StoreReads::Get(int64_t id) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(int64_t slot, LiveSlot(snapshot.database(), id));
  state_->liveness->Use({&id, 1});
  return ReadRow(snapshot.database(), slot);
}

Result<Observation> StoreReads::GetRevision(int64_t id, int64_t revision) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(int64_t slot, LiveSlot(snapshot.database(), id));
  ASSIGN_OR_RETURN(Observation row, ReadRow(snapshot.database(), slot));
  if (row.revision_count == revision) return row;
  ASSIGN_OR_RETURN(std::vector<Revision> found,
                   ReadRevisions(snapshot.database(), id, slot, {revision, revision, 1}));
  if (found.empty()) {
    return Error{Code::kNotFound, "observation " + std::to_string(id) + " has no revision " +
                                      std::to_string(revision) + ": GET /observations/" +
                                      std::to_string(id) + "/revisions lists those there are"};
  }
  Revision& then = found.front();
  row.type = std::move(then.type);
  row.title = std::move(then.title);
  row.content = std::move(then.content);
  row.tags = std::move(then.tags);
  row.normalized_hash = api::NormalizedHash(row.content);
  row.source = {};  // revisions keep the trust class, not the tool call
  row.source.origin = std::move(then.origin);
  row.revision_count = revision;
  row.duplicate_count = 0;
  row.updated_ms = row.last_seen_ms = then.written_ms;
  return row;
}

Result<std::vector<Revision>> StoreReads::Revisions(int64_t id, int64_t before, size_t limit) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(int64_t slot, LiveSlot(snapshot.database(), id));
  ASSIGN_OR_RETURN(std::vector<Revision> revisions,
                   ReadRevisions(snapshot.database(), id, slot, {1, before - 1, limit}));
  std::reverse(revisions.begin(), revisions.end());
  return revisions;
}

Result<bool> StoreReads::IsSeenBy(const Viewer& viewer, int64_t id) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(const std::optional<Place> place, FindRow(snapshot.database(), id));
  if (!place) return true;
  return memory::IsSeenBy(snapshot.database(), viewer, place->slot);
}

Result<SearchResult> StoreReads::Search(const Filter& filter, const std::string& text,
                                        bool operators) {
  const auto wait = [this] { return state_->WaitForIndex(); };
  RankQuery query;
  query.text = text;
  query.operators = operators;
  query.pinned_first = true;
  query.deadline_ms = state_->options.query_deadline_ms;
  query.stop = filter.stop;
  if (!filter.as_of_ms && !operators) state_->SetMeaning(query);
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(SearchScope scope, ResolveScope(snapshot.database(), filter, true));
  if (!filter.as_of_ms) {
    ASSIGN_OR_RETURN(SearchResult result,
                     RankRows(snapshot, wait, scope, filter, std::move(query)));
    NoteUse(*state_->liveness, result.rows);
    return result;
  }
  ASSIGN_OR_RETURN(SupersededTexts replaced,
                   FindSuperseded(snapshot.database(), scope, filter, query.deadline_ms));
  return RankRowsAsOf(snapshot, wait, scope, filter, std::move(query), replaced);
}

Result<SearchResult> StoreReads::Recall(const Filter& filter, const std::string& text) {
  const auto wait = [this] { return state_->WaitForIndex(); };
  RankQuery query;
  query.text = text;
  // Scores of neighbours come from the present words. The row of an identifier is found alone.
  const bool identifier = base::IsIdentifier(text) && base::Tokens(text).size() == 1;
  query.neighbours = !filter.as_of_ms && !identifier;
  query.pinned_first = query.without_buried = true;
  query.deadline_ms = state_->options.query_deadline_ms;
  query.stop = filter.stop;
  if (!filter.as_of_ms) state_->SetMeaning(query);
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(SearchScope scope, ResolveScope(snapshot.database(), filter, true));
  SupersededTexts replaced;
  SearchResult result;
  if (filter.as_of_ms) {
    ASSIGN_OR_RETURN(replaced,
                     FindSuperseded(snapshot.database(), scope, filter, query.deadline_ms));
    ASSIGN_OR_RETURN(result,
                     RankRowsAsOf(snapshot, wait, scope, filter, std::move(query), replaced));
  } else {
    const StrengthNow strength{state_->options.strength, state_->options.clock->NowMs()};
    ASSIGN_OR_RETURN(result, RankRows(snapshot, wait, scope, filter, std::move(query), &strength));
    NoteUse(*state_->liveness, result.rows);
  }
  if (!filter.backfill || result.rows.size() >= filter.limit) return result;
  ASSIGN_OR_RETURN(std::vector<Observation> newest,
                   Newest(snapshot.database(), scope, filter, true));
  result.partial = result.partial || AnswerBytes(newest) > kAnswerBytes;
  // Skips rows that are in the answer already.
  ASSIGN_OR_RETURN(std::vector<Observation> texts,
                   LoadNewest(snapshot.database(), replaced, filter.limit + result.rows.size()));
  std::vector<Observation> merged;
  std::merge(std::make_move_iterator(newest.begin()), std::make_move_iterator(newest.end()),
             std::make_move_iterator(texts.begin()), std::make_move_iterator(texts.end()),
             std::back_inserter(merged), IsNewer);
  for (Observation& row : merged) {
    if (result.rows.size() >= filter.limit) break;
    bool known = std::any_of(result.rows.begin(), result.rows.end(),
                             [&](const Found& found) { return found.row.id == row.id; });
    if (!known) result.rows.push_back({std::move(row), 0, "recency"});
  }
  return result;
}

}  // namespace memory
