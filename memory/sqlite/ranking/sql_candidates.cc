// Statements of searches that every engine runs.
#include "memory/sqlite/ranking/sql_candidates.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "memory/model/marks.h"
#include "memory/model/slots.h"
#include "memory/sqlite/ranking/near_rows.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Statement;

namespace {

std::string ListOfMatches(const std::vector<Match>& rows) {
  std::vector<int64_t> slots;
  slots.reserve(rows.size());
  for (const Match& match : rows) slots.push_back(match.slot);
  return ListOf(slots);
}

// The records of a statement, in order of slots, as `rows` are.
template <class RecordAt>
Result<std::vector<Record>> WithHits(Statement& read, const Matches& found,
                                     const std::vector<Match>& rows, const RecordAt& record_at) {
  ASSIGN_OR_RETURN(std::vector<Record> records, read.ReadAll(record_at));
  const auto is_before = [](const Record& a, const Record& b) { return a.slot < b.slot; };
  if (!std::is_sorted(records.begin(), records.end(), is_before))  // SQLite keeps the list's order
    std::sort(records.begin(), records.end(), is_before);
  auto match = rows.begin();
  for (Record& record : records) {
    while (match->slot != record.slot) ++match;
    record.hits = HitsOf(found, *match);
  }
  return records;
}

}  // namespace

Result<std::vector<RangeCounts>> SqlCandidates::Count(std::span<const int64_t> ranges) {
  std::vector<RangeCounts> counts;
  const auto add = [&](const Statement& row) {
    if (row.Int(1) != 0) counts.push_back({row.Int(0), row.Real(1), row.Real(2)});
  };
  if (ranges.empty()) {
    ASSIGN_OR_RETURN(Statement read,
                     database().Prepare("SELECT number, live_rows, live_words FROM ranges"));
    RETURN_IF_ERROR(read.ForEachRow(add));
  }
  if (ranges.empty()) return counts;
  std::unordered_map<int64_t, RangeCounts> found;
  ASSIGN_OR_RETURN(
      Statement read,
      database().Prepare("SELECT r.number, r.live_rows, r.live_words FROM " MEMORY_LISTED
                         "CROSS JOIN ranges r WHERE r.number = j.slot"));
  RETURN_IF_ERROR(BindList(read, ranges).ForEachRow(add));
  for (const RangeCounts& range : std::exchange(counts, {})) found[range.range] = range;
  for (const int64_t range : ranges)  // in their order
    if (const auto at = found.find(range); at != found.end()) counts.push_back(at->second);
  return counts;
}

Result<std::vector<Record>> SqlCandidates::RecordsOf(const Matches& found,
                                                     const std::vector<Match>& rows) {
  ASSIGN_OR_RETURN(Statement read,
                   database().Prepare("SELECT o.slot, session, position, words, marks, created_ms "
                                      "FROM json_each(?1) j CROSS JOIN observations o "
                                      "WHERE o.slot = CAST(j.value AS BIGINT)"));
  read.Bind(ListOfMatches(rows));
  return WithHits(read, found, rows, [](const Statement& row) {
    return Record{row.Int(0), row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5), {}};
  });
}

// Reads one stretch of a session at a time.
Status SqlCandidates::AppendNeighbours(const std::vector<int64_t>& ranges,
                                       const std::vector<Record>& records, int64_t reach,
                                       std::vector<Record>& neighbours) {
  std::unordered_set<int64_t> known;
  for (const Record& record : records) known.insert(record.slot);
  for (size_t i = 0; i < records.size();) {
    const int64_t session = records[i].session;
    size_t last = i;
    while (last + 1 < records.size() && records[last + 1].session == session &&
           records[last + 1].position - records[last].position <= 2 * reach + 1) {
      ++last;
    }
    ASSIGN_OR_RETURN(
        Statement read,
        database().Prepare("SELECT slot, position, words, marks, created_ms FROM observations "
                           "WHERE session = ?1 AND position BETWEEN ?2 AND ?3"));
    read.Bind(session).Bind(records[i].position - reach).Bind(records[last].position + reach);
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
      const int64_t slot = row.Int(0);
      const bool inside = ranges.empty() || std::find(ranges.begin(), ranges.end(),
                                                      slot >> kRangeBits) != ranges.end();
      if (!inside || known.contains(slot)) return;
      neighbours.push_back({slot, session, row.Int(1), row.Int(2), row.Int(3), row.Int(4), {}});
    }));
    i = last + 1;
  }
  return {};
}

Result<bool> SqlCandidates::AppendNear(const VectorQuery& query, const SearchBounds& bounds,
                                       std::vector<Similarity>& near) {
  return ReadNear(database(), query, bounds, near);
}

Status SqlCandidates::VisitTopics(int64_t range, const std::string& first, const std::string& end,
                                  const VisitTopic& visit) {
  ASSIGN_OR_RETURN(Statement read,
                   // Without the hint SQLite scans the whole range.
                   database().Prepare("SELECT slot, topic_key FROM observations o "
                                      "INDEXED BY observations_topics WHERE " MEMORY_LIVE
                                      "AND topic_key >= ?1 AND topic_key < ?2 AND range = ?3 "
                                      "ORDER BY topic_key, slot"));
  read.Bind(first).Bind(end).Bind(range);
  return read.ForEachRow(
      [&](const Statement& row) -> Result<bool> { return visit(row.Int(0), row.Text(1)); });
}

Result<std::unordered_map<int64_t, LiveRow>> SqlCandidates::FindLive(
    std::span<const int64_t> slots) {
  std::unordered_map<int64_t, LiveRow> live;
  ASSIGN_OR_RETURN(
      Statement read,
      database().Prepare("SELECT o.slot, o.type, o.project, o.marks FROM " MEMORY_LISTED
                         "CROSS JOIN observations o WHERE o.slot = j.slot AND " MEMORY_LIVE));
  RETURN_IF_ERROR(BindList(read, slots).ForEachRow([&](const Statement& row) {
    live.emplace(row.Int(0), LiveRow{row.Text(1), row.Int(2), row.Int(3)});
  }));
  return live;
}

Result<int64_t> SqlCandidates::Version() {
  ASSIGN_OR_RETURN(Statement read,
                   database().Prepare("SELECT value FROM counters WHERE name = 'version'"));
  ASSIGN_OR_RETURN(bool row, read.Step());
  return row ? read.Int(0) : 0;
}

Status SqlCandidates::VisitIndexedRows(int64_t first, int64_t last, int64_t model,
                                       const VisitIndexed& visit) {
  ASSIGN_OR_RETURN(
      Statement read,
      database().Prepare(
          "SELECT slot, session, position, words, created_ms, title, content, tags, grams, "
          "(SELECT v.vector FROM vectors v WHERE v.slot = o.slot AND v.model = ?3) "
          "FROM observations o WHERE slot BETWEEN ?1 AND ?2 AND deleted_ms IS NULL "
          "ORDER BY slot"));
  read.Bind(first).Bind(last).Bind(model);
  return read.ForEachRow([&](const Statement& row) {
    const std::string vector = row.Text(9);
    const std::span<const int8_t> values = AsVector(vector);
    IndexedRow indexed{{row.Int(0), row.Int(1), row.Int(2), row.Int(3), 0, row.Int(4), {}},
                       row.Text(5),
                       row.Text(6),
                       row.Text(7),
                       row.Text(8),
                       {values.begin(), values.end()}};
    // Rows of former versions lack some.
    indexed.facts.flags = FlagsOf(indexed.content) | MarksOf(indexed.tags);
    return visit(std::move(indexed));
  });
}

Result<RangeCounts> SqlItemTexts::Count(int64_t project) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT rows, words FROM item_counts WHERE project = ?1"));
  ASSIGN_OR_RETURN(const bool row, read.Bind(project).Step());
  return row ? RangeCounts{project, read.Real(0), read.Real(1)} : RangeCounts{project};
}

Result<std::vector<Record>> SqlItemTexts::RecordsOf(const Matches& found,
                                                    const std::vector<Match>& rows) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare("SELECT i.slot, i.words, i.marks, i.created_ms FROM json_each(?1) j "
                        "CROSS JOIN items i WHERE i.slot = CAST(j.value AS BIGINT) AND "
                        "(i.over_ms IS NULL OR i.over_ms > ?2)"));
  read.Bind(ListOfMatches(rows)).Bind(now_ms_);
  return WithHits(read, found, rows, [](const Statement& row) {
    return Record{row.Int(0), row.Int(0), 0, row.Int(1), row.Int(2), row.Int(3), {}};
  });
}

}  // namespace memory
