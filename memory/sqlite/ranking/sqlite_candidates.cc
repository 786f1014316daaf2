// Statements of searches.
#include "memory/sqlite/ranking/sqlite_candidates.h"

#include <algorithm>
#include <unordered_set>

#include "memory/model/slots.h"
#include "memory/sqlite/ranking/near_rows.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/waiting.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr const char* kFindWords =
    "SELECT hits(words) FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3";

Error NoExpression(const std::string& reason) {
  return Error{Code::kInvalid, "q is not a valid FTS5 expression: " + reason};
}

std::string ListOf(const std::vector<Match>& rows) {
  std::string slots = "[";
  for (const Match& match : rows)
    slots += (&match == rows.data() ? "" : ",") + std::to_string(match.slot);
  return slots + "]";
}

}  // namespace

Result<std::unique_ptr<SqliteCandidates>> SqliteCandidates::Make(Database database) {
  ASSIGN_OR_RETURN(Fts5Finder fts5, Fts5Finder::Make(database));
  ASSIGN_OR_RETURN(Tokens tokens, Tokens::Make(database));
  return std::unique_ptr<SqliteCandidates>(
      new SqliteCandidates(std::move(database), std::move(fts5), std::move(tokens)));
}

Result<std::vector<RangeCounts>> SqliteCandidates::Count(std::span<const int64_t> ranges) {
  std::vector<RangeCounts> counts;
  const auto add = [&](const Statement& row) {
    if (row.Int(1) != 0) counts.push_back({row.Int(0), row.Real(1), row.Real(2)});
  };
  if (ranges.empty()) {
    ASSIGN_OR_RETURN(Statement read,
                     database_.Prepare("SELECT number, live_rows, live_words FROM ranges"));
    RETURN_IF_ERROR(read.ForEachRow(add));
  }
  for (int64_t range : ranges) {
    ASSIGN_OR_RETURN(
        Statement read,
        database_.Prepare("SELECT number, live_rows, live_words FROM ranges WHERE number = ?1"));
    read.Bind(range);
    RETURN_IF_ERROR(read.ForEachRow(add));
  }
  return counts;
}

Result<bool> SqliteCandidates::AnyOldTerms(Uncut what) {
  if (cut_[what]) return false;
  ASSIGN_OR_RETURN(const bool some, AnyUncut(database_, what));
  cut_[what] = !some;
  return some;
}

Result<bool> SqliteCandidates::AnyWaits(const std::vector<int64_t>& ranges) {
  return memory::AnyWaits(database_, ranges);
}

Result<bool> SqliteCandidates::FindWords(const Question& question, const SearchBounds& bounds,
                                         Matches& found) {
  return fts5_.Find(database_, kFindWords, AnyWordOf(question), bounds, found);
}

Result<bool> SqliteCandidates::FindExpression(const std::string& expression,
                                              const SearchBounds& bounds, Matches& found) {
  // "*reads" and "*id" are special queries of FTS5 in which an auxiliary function crashes.
  if (expression.starts_with('*')) return NoExpression("nothing stands before the *");
  Result<bool> cut = fts5_.Find(database_, kFindWords, {expression, {}}, bounds, found);
  // Only a plain SQLITE_ERROR is a fault of the expression.
  if (!cut && sqlite3_errcode(database_.handle()) == SQLITE_ERROR)
    return NoExpression(sqlite3_errmsg(database_.handle()));
  return cut;
}

Result<std::vector<Record>> SqliteCandidates::RecordsOf(const Matches& found,
                                                        const std::vector<Match>& rows) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare(
          "SELECT o.slot, session, position, words, marks, created_ms "
          "FROM json_each(?1) j CROSS JOIN observations o WHERE o.slot = CAST(j.value AS BIGINT)"));
  read.Bind(ListOf(rows));
  std::vector<Record> records;
  records.reserve(rows.size());
  auto match = rows.begin();
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    const int64_t slot = row.Int(0);
    while (match->slot != slot) ++match;  // both are in order of slots
    records.push_back(
        {slot, row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5), HitsOf(found, *match)});
  }));
  return records;
}

// Reads one stretch of a session at a time.
Status SqliteCandidates::AppendNeighbours(const std::vector<int64_t>& ranges,
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
        database_.Prepare("SELECT slot, position, words, marks, created_ms FROM observations "
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

Result<bool> SqliteCandidates::AppendNear(const VectorQuery& query, const SearchBounds& bounds,
                                          std::vector<Similarity>& near) {
  return ReadNear(database_, query, bounds, near);
}

Status SqliteCandidates::VisitTopics(int64_t range, const std::string& first,
                                     const std::string& end, const VisitTopic& visit) {
  ASSIGN_OR_RETURN(Statement read,
                   // Without the hint SQLite scans the whole range.
                   database_.Prepare("SELECT slot, topic_key FROM observations o "
                                     "INDEXED BY observations_topics WHERE " MEMORY_LIVE
                                     "AND topic_key >= ?1 AND topic_key < ?2 AND range = ?3"));
  read.Bind(first).Bind(end).Bind(range);
  return read.ForEachRow(
      [&](const Statement& row) -> Result<bool> { return visit(row.Int(0), row.Text(1)); });
}

Result<std::optional<LiveRow>> SqliteCandidates::FindLive(int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare(
          "SELECT type, project FROM observations o WHERE slot = ?1 AND " MEMORY_LIVE));
  return read.Bind(slot).ReadFirst([](const Statement& row) {
    return LiveRow{row.Text(0), row.Int(1)};
  });
}

Result<int64_t> SqliteCandidates::Version() {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT value FROM counters WHERE name = 'version'"));
  ASSIGN_OR_RETURN(bool row, read.Step());
  return row ? read.Int(0) : 0;
}

Status SqliteCandidates::Begin() { return database_.Execute("BEGIN"); }
Status SqliteCandidates::End() { return database_.Execute("ROLLBACK"); }

Status SqliteCandidates::VisitIndexedRows(int64_t first, int64_t last, int64_t model,
                                          const VisitIndexed& visit) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare(
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
    indexed.facts.flags = FlagsOf(indexed.content);  // rows of former versions lack some
    return visit(std::move(indexed));
  });
}

std::vector<RangeIndex::Word> SqliteCandidates::WordsOf(const IndexedRow& row) const {
  return tokens_.OfRow(row.title, row.content, row.tags, row.grams);
}

std::optional<std::vector<WordKeys>> SqliteCandidates::KeysOf(const Question& question) const {
  return tokens_.OfQuestion(question);
}

Result<RangeCounts> SqliteTexts::Count(int64_t project) {
  ASSIGN_OR_RETURN(Statement read, candidates_.database_.Prepare(table_.counts));
  ASSIGN_OR_RETURN(const bool row, read.Bind(project).Step());
  return row ? RangeCounts{project, read.Real(0), read.Real(1)} : RangeCounts{project};
}

Result<bool> SqliteTexts::FindWords(const Question& question, const SearchBounds& bounds,
                                    Matches& found) {
  return candidates_.fts5_.Find(candidates_.database_, table_.find, AnyWordOf(question), bounds,
                                found);
}

Result<std::vector<Record>> SqliteTexts::RecordsOf(const Matches& found,
                                                   const std::vector<Match>& rows) {
  ASSIGN_OR_RETURN(Statement read, candidates_.database_.Prepare(table_.facts));
  read.Bind(ListOf(rows)).Bind(now_ms_);
  std::vector<Record> records;
  auto at = rows.begin();
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    const int64_t slot = row.Int(0);
    while (at->slot != slot) ++at;  // both in order of slots
    records.push_back({slot, slot, 0, row.Int(1), row.Int(2), row.Int(3), HitsOf(found, *at)});
  }));
  return records;
}

}  // namespace memory
