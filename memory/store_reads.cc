// Finding and listing observations. Every call reads one snapshot.
#include <algorithm>
#include <map>
#include <span>

#include "lib/base/answer_charge.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "memory/answer_limit.h"
#include "memory/store_rows.h"
#include "memory/store_state.h"
#include "memory/store_then.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// The newest rows of a reach, range by range along the index. `logs`: audit and security records
// too (rulings K16).
Result<std::vector<Observation>> Newest(Database& database, const Reach& reach,
                                        const Filter& filter, bool logs) {
  ASSIGN_OR_RETURN(std::vector<int64_t> ranges, RangesOf(database, reach));
  std::vector<Observation> rows;
  for (int64_t range : ranges) {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare(MEMORY_SELECT_OBSERVATION
                         "WHERE o.range = ?1 AND " MEMORY_LIVE "AND o.updated_ms >= ?2 "
                         "AND (?3 OR o.type NOT IN ('audit', 'security')) "
                         "AND (?4 IS NULL OR o.type = ?4) AND (?5 IS NULL OR o.project = ?5) "
                         "AND o.updated_ms <= ?6 "
                         "ORDER BY o.updated_ms DESC, o.slot DESC LIMIT ?7"));
    // Once there are enough, only rows at least as new as the last of them count.
    bool enough =
        filter.limit > 0 && (rows.size() >= filter.limit || AnswerBytes(rows) > kAnswerBytes);
    read.Bind(range).Bind(enough ? rows.back().updated_ms : INT64_MIN);
    read.Bind(int64_t{logs || filter.type});
    if (filter.type)
      read.Bind(std::string_view(*filter.type));
    else
      read.BindNull();
    if (reach.project)
      read.Bind(*reach.project);
    else
      read.BindNull();
    read.Bind(filter.as_of_ms.value_or(INT64_MAX)).Bind(static_cast<int64_t>(filter.limit));
    ASSIGN_OR_RETURN(std::vector<Observation> found,
                     AllObservations(std::move(read), kAnswerBytes));
    std::move(found.begin(), found.end(), std::back_inserter(rows));
    std::sort(rows.begin(), rows.end(), IsNewer);
    if (rows.size() > filter.limit) rows.resize(filter.limit);
    KeepAnswer(rows);
  }
  return rows;
}

Result<SearchResult> RankRows(Snapshot& snapshot, const std::function<bool()>& wait_for_index,
                              const Reach& reach, const Filter& filter, RankQuery query) {
  SearchResult result;
  if ((!reach.all && reach.ranges.empty()) || filter.limit == 0) return result;
  query.ranges = reach.ranges;
  query.project = reach.project;
  query.type = filter.type;
  query.limit = filter.limit;
  ASSIGN_OR_RETURN(Ranking ranking, snapshot.ranker().Rank(snapshot.database(), query));
  if (ranking.behind) {
    result.partial = !wait_for_index();
    RETURN_IF_ERROR(snapshot.Renew());
    query.even_behind = true;
    ASSIGN_OR_RETURN(ranking, snapshot.ranker().Rank(snapshot.database(), query));
  }
  result.partial = result.partial || ranking.partial;
  size_t bytes = 0;
  base::AnswerCharge charge;
  for (const Scored& scored : ranking.rows) {
    ASSIGN_OR_RETURN(Statement read,
                     snapshot.database().Prepare(MEMORY_SELECT_OBSERVATION "WHERE o.slot = ?1"));
    read.Bind(scored.slot);
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) continue;
    result.rows.push_back({ObservationAt(read), -scored.score, "fts5_bm25"});
    Observation& found = result.rows.back().row;
    // Of a recall, which has neighbours: it goes into a prompt, cut.
    if (query.neighbours) found.content = base::Ellipsize(found.content, api::kContextCharacters);
    const size_t row_bytes = AnswerBytes(found);
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
    if (bytes <= kAnswerBytes) continue;
    result.partial = true;
    break;
  }
  return result;
}

// The same at `filter.as_of_ms`: of what is live, rows that say today what they said then.
Result<SearchResult> RankRowsThen(Snapshot& snapshot, const std::function<bool()>& wait_for_index,
                                  const Reach& reach, const Filter& filter, RankQuery query,
                                  const Replaced& replaced) {
  if (filter.limit == 0) return SearchResult();
  Filter wide = filter;
  wide.limit = api::kMaxRows;
  const std::string text = query.text;
  const bool operators = query.operators;
  ASSIGN_OR_RETURN(SearchResult result,
                   RankRows(snapshot, wait_for_index, reach, wide, std::move(query)));
  result.partial = result.partial || replaced.partial || result.rows.size() == wide.limit;
  std::erase_if(result.rows,
                [&](const Found& found) { return found.row.updated_ms > *filter.as_of_ms; });
  ASSIGN_OR_RETURN(result.rows, RankThen(snapshot.database(), std::move(result.rows), replaced,
                                         text, operators));
  if (result.rows.size() > filter.limit) result.rows.resize(filter.limit);
  return result;
}

Result<int64_t> LiveSlot(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(std::optional<Place> place, FindRow(database, id));
  if (!place || !place->live)
    return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
  return place->slot;
}

Result<Observation> RowAt(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_SELECT_OBSERVATION "WHERE o.slot = ?1"));
  read.Bind(slot);
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return Error{Code::kInternal, "a row vanished inside its snapshot"};
  return ObservationAt(read);
}

// Numbers of revisions, both included, and how many of the newest.
struct RevisionRange {
  int64_t first = 1, last = INT64_MAX;
  size_t limit = SIZE_MAX;
};

// The newest that one answer holds, newest first.
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
  base::AnswerCharge charge;
  for (size_t bytes = 0; bytes <= kAnswerBytes && revisions.size() < wanted.limit;
       bytes += AnswerBytes(revisions.back())) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) break;
    ASSIGN_OR_RETURN(base::Json tags, base::ParseJson(read.Text(7)));
    revisions.push_back({read.Int(0), read.Int(1), read.Int(2), read.Text(3), read.Text(4),
                         read.Text(5), read.Text(6), tags.get<std::vector<std::string>>()});
    RETURN_IF_ERROR(charge.Add(AnswerBytes(revisions.back())));
  }
  return revisions;
}

// Rows of each project that are over and not hidden yet: the counts of the ranges have them still.
Result<std::map<int64_t, int64_t>> CountOver(Database& database) {
  std::map<int64_t, int64_t> over;
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT o.project, count(*) FROM observations o "
                       "WHERE o.deleted_ms IS NULL AND NOT (" MEMORY_LIVE ") GROUP BY o.project"));
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) return over;
    over[read.Int(0)] = read.Int(1);
  }
}

}  // namespace

// What a question found was used; of a long list only its head, since nobody reads the rest.
void Store::NoteUse(const std::vector<Found>& rows) {
  constexpr size_t kHead = 20;
  std::vector<int64_t> ids;
  for (const Found& found : std::span(rows).first(std::min(rows.size(), kHead)))
    ids.push_back(found.row.id);
  state_->lifetimes->Use(ids);
}

Result<Observation> Store::Get(int64_t id) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(int64_t slot, LiveSlot(snapshot.database(), id));
  state_->lifetimes->Use({&id, 1});
  return RowAt(snapshot.database(), slot);
}

Result<Observation> Store::GetRevision(int64_t id, int64_t revision) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(int64_t slot, LiveSlot(snapshot.database(), id));
  ASSIGN_OR_RETURN(Observation row, RowAt(snapshot.database(), slot));
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
  row.source = {};  // of a revision the trust class is kept, not the call that it came from
  row.source.origin = std::move(then.origin);
  row.revision_count = revision;
  row.duplicate_count = 0;
  row.updated_ms = row.last_seen_ms = then.written_ms;
  return row;
}

Result<std::vector<Revision>> Store::Revisions(int64_t id, int64_t before, size_t limit) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(int64_t slot, LiveSlot(snapshot.database(), id));
  ASSIGN_OR_RETURN(std::vector<Revision> revisions,
                   ReadRevisions(snapshot.database(), id, slot, {1, before - 1, limit}));
  std::reverse(revisions.begin(), revisions.end());
  return revisions;
}

Result<std::vector<Observation>> Store::Recent(const Filter& filter) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers, filter.stop));
  ASSIGN_OR_RETURN(Reach reach, ReachOf(snapshot.database(), filter, false));
  return Newest(snapshot.database(), reach, filter, true);
}

Result<SearchResult> Store::Search(const Filter& filter, const std::string& text, bool operators) {
  const auto wait = [this] { return state_->WaitForIndex(); };
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(Reach reach, ReachOf(snapshot.database(), filter, true));
  RankQuery query;
  query.text = text;
  query.operators = operators;
  query.deadline_ms = state_->options.query_deadline_ms;
  query.stop = filter.stop;
  if (!filter.as_of_ms) {
    ASSIGN_OR_RETURN(SearchResult result,
                     RankRows(snapshot, wait, reach, filter, std::move(query)));
    NoteUse(result.rows);
    return result;
  }
  ASSIGN_OR_RETURN(Replaced replaced,
                   ReplacedSince(snapshot.database(), reach, filter, query.deadline_ms));
  return RankRowsThen(snapshot, wait, reach, filter, std::move(query), replaced);
}

Result<SearchResult> Store::Recall(const Filter& filter, const std::string& text) {
  const auto wait = [this] { return state_->WaitForIndex(); };
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(Reach reach, ReachOf(snapshot.database(), filter, true));
  RankQuery query;
  query.text = text;
  query.neighbours = !filter.as_of_ms;  // they are lent to by the words of today
  query.deadline_ms = state_->options.query_deadline_ms;
  query.stop = filter.stop;
  Replaced replaced;
  SearchResult result;
  if (filter.as_of_ms) {
    ASSIGN_OR_RETURN(replaced,
                     ReplacedSince(snapshot.database(), reach, filter, query.deadline_ms));
    ASSIGN_OR_RETURN(result,
                     RankRowsThen(snapshot, wait, reach, filter, std::move(query), replaced));
  } else {
    ASSIGN_OR_RETURN(result, RankRows(snapshot, wait, reach, filter, std::move(query)));
    NoteUse(result.rows);
  }
  if (result.rows.size() >= filter.limit) return result;
  ASSIGN_OR_RETURN(std::vector<Observation> newest,
                   Newest(snapshot.database(), reach, filter, false));
  result.partial = result.partial || AnswerBytes(newest) > kAnswerBytes;
  std::vector<Observation> merged;
  std::merge(std::make_move_iterator(newest.begin()), std::make_move_iterator(newest.end()),
             std::make_move_iterator(replaced.rows.begin()),
             std::make_move_iterator(replaced.rows.end()), std::back_inserter(merged), IsNewer);
  for (Observation& row : merged) {
    if (result.rows.size() >= filter.limit) break;
    bool known = std::any_of(result.rows.begin(), result.rows.end(),
                             [&](const Found& found) { return found.row.id == row.id; });
    if (!known) result.rows.push_back({std::move(row), 0, "recency"});
  }
  return result;
}

Result<std::vector<Observation>> Store::Timeline(int64_t id, size_t before, size_t after) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Database& database = snapshot.database();
  ASSIGN_OR_RETURN(int64_t slot, LiveSlot(database, id));
  ASSIGN_OR_RETURN(
      Statement earlier,
      database.Prepare(
          MEMORY_SELECT_OBSERVATION
          "JOIN observations c ON c.slot = ?1 WHERE o.session = c.session AND " MEMORY_LIVE
          "AND (o.created_ms, o.id) < (c.created_ms, c.id) "
          "ORDER BY o.created_ms DESC, o.id DESC LIMIT ?2"));
  earlier.Bind(slot).Bind(static_cast<int64_t>(before));
  ASSIGN_OR_RETURN(std::vector<Observation> rows,
                   AllObservations(std::move(earlier), kAnswerBytes / 2));
  std::reverse(rows.begin(), rows.end());
  ASSIGN_OR_RETURN(
      Statement later,
      database.Prepare(
          MEMORY_SELECT_OBSERVATION
          "JOIN observations c ON c.slot = ?1 WHERE o.session = c.session AND " MEMORY_LIVE
          "AND (o.created_ms, o.id) >= (c.created_ms, c.id) "
          "ORDER BY o.created_ms, o.id LIMIT ?2 + 1"));
  later.Bind(slot).Bind(static_cast<int64_t>(after));
  ASSIGN_OR_RETURN(std::vector<Observation> following,
                   AllObservations(std::move(later), kAnswerBytes / 2));
  std::move(following.begin(), following.end(), std::back_inserter(rows));
  return rows;
}

Result<Totals> Store::Count(const std::optional<std::string>& project) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Totals totals;
  std::optional<int64_t> number;
  if (project) {
    ASSIGN_OR_RETURN(number, FindProject(snapshot.database(), *project));
    if (!number) return totals;
  }
  ASSIGN_OR_RETURN(
      Statement read,
      snapshot.database().Prepare(
          "SELECT p.name, (SELECT count(*) FROM sessions s WHERE s.project = p.number), "
          "r.live_rows + coalesce(g.live_rows, 0), p.number FROM projects p "
          "JOIN ranges r ON r.number = p.number "
          "LEFT JOIN (SELECT project, count(*) AS live_rows FROM observations "
          "WHERE range = 0 AND deleted_ms IS NULL GROUP BY project) g ON g.project = p.number "
          "WHERE (?1 IS NULL OR p.number = ?1) ORDER BY p.name"));
  if (number)
    read.Bind(*number);
  else
    read.BindNull();
  std::map<int64_t, int64_t> over;
  if (state_->lifetimes->policy()->Ends()) {
    ASSIGN_OR_RETURN(over, CountOver(snapshot.database()));
  }
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) return totals;
    const int64_t live = read.Int(2) - over[read.Int(3)];
    if (read.Int(1) + live == 0) continue;
    totals.projects.push_back(read.Text(0));
    totals.sessions += read.Int(1);
    totals.observations += live;
  }
}

}  // namespace memory
