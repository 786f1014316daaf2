// Replaced texts are in no index of the file: those of one question's reach are indexed in memory.
#include "memory/store_then.h"

#include <algorithm>

#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/sqlite/scratch_index.h"
#include "memory/answer_limit.h"
#include "memory/store_retention.h"
#include "memory/store_rows.h"
#include "memory/words.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr size_t kMaxReplaced = 2000;  // texts that one question looks at

Status ReadRange(Database& database, int64_t range, const Reach& reach, const Filter& filter,
                 std::vector<Observation>& rows) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT o.slot, o.id, s.id, r.type, r.title, r.content, p.name, r.tags, o.scope, "
          "o.topic_key, '', r.revision, 0, r.written_ms, o.created_ms, r.written_ms, '', '', '', "
          "r.origin FROM observations o JOIN revisions r ON r.id = o.id "
          "JOIN sessions s ON s.number = o.session JOIN projects p ON p.number = o.project "
          "WHERE o.range = ?1 AND " MEMORY_LIVE "AND o.updated_ms > ?2 "
          "AND r.written_ms <= ?2 AND r.replaced_ms > ?2 AND (?3 IS NULL OR o.project = ?3) "
          "AND r.replaced_ms > kept_since(o.project, o.scope, o.type) "
          "AND CASE WHEN ?4 IS NULL THEN r.type NOT IN ('audit', 'security') ELSE r.type = ?4 END "
          "ORDER BY r.written_ms DESC, o.id DESC LIMIT ?5"));
  read.Bind(range).Bind(*filter.as_of_ms);
  if (reach.project)
    read.Bind(*reach.project);
  else
    read.BindNull();
  read.Bind(filter.type).Bind(static_cast<int64_t>(kMaxReplaced + 1));
  ASSIGN_OR_RETURN(std::vector<Observation> found, AllObservations(std::move(read), kAnswerBytes));
  std::move(found.begin(), found.end(), std::back_inserter(rows));
  return {};
}

// As the ranker sees it: a topic key, or what looks like the beginning of one.
bool IsTopic(const Observation& row, std::string_view text) {
  if (row.topic_key.empty() || text.empty()) return false;
  bool key_like =
      text.find_first_of("-_/.:") != std::string::npos && text.find(' ') == std::string::npos;
  return key_like ? row.topic_key.starts_with(text) : row.topic_key == text;
}

}  // namespace

bool IsNewer(const Observation& a, const Observation& b) {
  return a.updated_ms != b.updated_ms ? a.updated_ms > b.updated_ms : a.id > b.id;
}

Result<Replaced> ReplacedSince(Database& database, const Reach& reach, const Filter& filter,
                               int64_t deadline_ms) {
  Replaced replaced;
  ASSIGN_OR_RETURN(std::vector<int64_t> ranges, RangesOf(database, reach));
  const sqlite::TimeLimit limit(database, deadline_ms, filter.stop);
  Status read;
  for (int64_t range : ranges) {
    read = ReadRange(database, range, reach, filter, replaced.rows);
    if (!read) break;
    // Of each range the newest; of all together what one question may hold.
    std::sort(replaced.rows.begin(), replaced.rows.end(), IsNewer);
    KeepAnswer(replaced.rows);
  }
  if (!read && read.error().code != Code::kTimeout) return read.error();
  replaced.partial =
      !read || replaced.rows.size() > kMaxReplaced || AnswerBytes(replaced.rows) > kAnswerBytes;
  if (replaced.rows.size() > kMaxReplaced) replaced.rows.resize(kMaxReplaced);
  return replaced;
}

Result<std::vector<Found>> RankThen(Database& database, std::vector<Found> matches,
                                    const Replaced& replaced, const std::string& text,
                                    bool operators) {
  if (replaced.rows.empty()) return matches;
  const std::string expression = operators ? text : AnyWordOf(ReadQuestion(text)).expression;
  const size_t live = matches.size();
  for (const Observation& row : replaced.rows) matches.push_back({row, 0, "fts5_bm25"});
  std::vector<sqlite::ScratchIndex::Hit> hits;
  if (!expression.empty()) {
    ASSIGN_OR_RETURN(sqlite::ScratchIndex index, sqlite::ScratchIndex::Make());
    for (size_t i = 0; i < matches.size(); ++i) {
      RETURN_IF_ERROR(database.WithinLimits());
      const Observation& row = matches[i].row;
      RETURN_IF_ERROR(index.Add(static_cast<int64_t>(i), row.title, row.content,
                                base::DumpJson(row.tags), CjkGrams(row.title + " " + row.content)));
    }
    ASSIGN_OR_RETURN(hits, index.Match(expression));
  }
  const double best = hits.empty() ? 0 : hits[0].rank;
  bool any_replaced = false;
  std::vector<Found> ranked;
  std::vector<bool> taken(matches.size());
  auto take = [&](size_t i, double rank) {
    if (taken[i]) return;
    taken[i] = true;
    any_replaced = any_replaced || i >= live;
    ranked.push_back({matches[i].row, rank, matches[i].method});
  };
  for (size_t i = 0; i < matches.size(); ++i) {
    if (!operators && IsTopic(matches[i].row, base::Trim(text))) take(i, best - 1);
  }
  for (const sqlite::ScratchIndex::Hit& hit : hits) take(static_cast<size_t>(hit.number), hit.rank);
  if (any_replaced) return ranked;
  matches.resize(live);
  return matches;
}

}  // namespace memory
