// An auxiliary function of FTS5 reads the positions of words. bm25() is not used: it counts each
// word's rows over the whole file, once per query.
#include "memory/sqlite/ranking/fts5_finder.h"

#include <algorithm>
#include <unordered_set>

#include "memory/model/slots.h"
#include "memory/sqlite/ranking/fts5_tokens.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {
constexpr int kTitleColumn = 0, kTagColumn = 2;
}  // namespace

struct Fts5Finder::Sink {
  Matches* found = nullptr;  // of the running query
  std::vector<size_t> owner;
  // Called by FTS5 once per matching row.
  static void Take(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int,
                   sqlite3_value**);
};

void Fts5Finder::Sink::Take(const Fts5ExtensionApi* api, Fts5Context* context,
                            sqlite3_context* result, int, sqlite3_value**) {
  Sink& sink = *static_cast<Sink*>(api->xUserData(context));
  std::vector<WordHit>& words = sink.found->words;
  Match match{api->xRowid(context), words.size(), 0};
  const auto first = static_cast<std::ptrdiff_t>(match.first);
  int instances = 0;
  api->xInstCount(context, &instances);
  for (int i = 0; i < instances; ++i) {
    int phrase = 0, column = 0, offset = 0;
    if (api->xInst(context, i, &phrase, &column, &offset) != SQLITE_OK) break;
    size_t index = static_cast<size_t>(phrase);
    uint32_t word = static_cast<uint32_t>(index < sink.owner.size() ? sink.owner[index] : index);
    auto known = std::find_if(words.begin() + first, words.end(),
                              [&](const WordHit& hit) { return hit.word == word; });
    WordHit& hit =
        known == words.end() ? words.emplace_back(WordHit{word, 0, false, false}) : *known;
    if (column == kTitleColumn)
      hit.title = true;
    else if (column == kTagColumn)
      hit.tag = true;
    else
      ++hit.content;
  }
  std::sort(words.begin() + first, words.end(),
            [](const WordHit& a, const WordHit& b) { return a.word < b.word; });
  match.count = words.size() - match.first;
  sink.found->rows.push_back(match);
  sqlite3_result_int(result, 0);
}

Fts5Finder::Fts5Finder(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}
Fts5Finder::Fts5Finder(Fts5Finder&&) noexcept = default;
Fts5Finder::~Fts5Finder() = default;

Result<Fts5Finder> Fts5Finder::Make(sqlite::Database& database) {
  auto sink = std::make_unique<Sink>();
  fts5_api* api = Fts5Of(database);
  if (!api || api->xCreateFunction(api, "hits", sink.get(), Sink::Take, nullptr) != SQLITE_OK)
    return Error{Code::kInternal, "this SQLite's FTS5 takes no auxiliary functions"};
  return Fts5Finder(std::move(sink));
}

namespace {

constexpr const char* kFindWords =
    "SELECT hits(words) FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3";

Status FindRange(sqlite::Database& database, const char* sql, const std::string& expression,
                 int64_t low, int64_t high) {
  ASSIGN_OR_RETURN(sqlite::Statement find, database.Prepare(sql));
  find.Bind(expression).Bind(low).Bind(high);
  return find.Run();
}

Error NoExpression(const std::string& reason) {
  return Error{Code::kInvalid, "q is not a valid FTS5 expression: " + reason};
}

}  // namespace

Result<bool> Fts5Finder::Find(sqlite::Database& database, const RankQuery& query,
                              const std::string& expression, std::vector<size_t> owner,
                              Matches& found_rows) {
  // "*reads" and "*id" are special queries of FTS5 in which an auxiliary function crashes.
  if (expression.starts_with('*')) return NoExpression("nothing stands before the *");
  sink_->found = &found_rows;
  sink_->owner = std::move(owner);
  const sqlite::TimeLimit limit(database, query.deadline_ms, query.stop);
  Status found;
  if (query.ranges.empty()) found = FindRange(database, kFindWords, expression, 0, INT64_MAX);
  for (int64_t range : query.ranges) {
    if (!found) break;
    found = FindRange(database, kFindWords, expression, range << kRangeBits,
                      ((range + 1) << kRangeBits) - 1);
  }
  if (found) return false;
  if (found.error().code == Code::kTimeout) return true;  // the matches so far count
  // Only a plain SQLITE_ERROR is a fault of the expression.
  if (query.operators && sqlite3_errcode(database.handle()) == SQLITE_ERROR)
    return NoExpression(sqlite3_errmsg(database.handle()));
  return found.error();
}

Result<bool> Fts5Finder::FindTexts(sqlite::Database& database, const TextTable& table,
                                   const TextQuery& query, const std::string& expression,
                                   std::vector<size_t> owner, Matches& found_rows) {
  sink_->found = &found_rows;
  sink_->owner = std::move(owner);
  const sqlite::TimeLimit limit(database, query.deadline_ms, query.stop);
  Status found = FindRange(database, table.find, expression, query.project << kRangeBits,
                           ((query.project + 1) << kRangeBits) - 1);
  if (found) return false;
  if (found.error().code == Code::kTimeout) return true;
  return found.error();
}

Result<std::vector<Record>> LoadRecords(sqlite::Database& database, const Matches& found,
                                        const std::vector<Match>& rows) {
  std::string slots = "[";
  for (const Match& match : rows)
    slots += (&match == rows.data() ? "" : ",") + std::to_string(match.slot);
  slots += "]";
  ASSIGN_OR_RETURN(
      sqlite::Statement read,
      database.Prepare("SELECT o.slot, session, position, words, marks, created_ms "
                       "FROM json_each(?1) j CROSS JOIN observations o ON o.slot = j.value"));
  read.Bind(std::string_view(slots));
  std::vector<Record> records;
  records.reserve(rows.size());
  auto match = rows.begin();
  RETURN_IF_ERROR(read.ForEachRow([&](const sqlite::Statement& row) {
    const int64_t slot = row.Int(0);
    while (match->slot != slot) ++match;  // both are in order of slots
    records.push_back(
        {slot, row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5), HitsOf(found, *match)});
  }));
  return records;
}

Status AppendNeighbours(sqlite::Database& database, const RankQuery& query,
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
        sqlite::Statement read,
        database.Prepare("SELECT slot, position, words, marks, created_ms FROM observations "
                         "WHERE session = ?1 AND position BETWEEN ?2 AND ?3"));
    read.Bind(session).Bind(records[i].position - reach).Bind(records[last].position + reach);
    RETURN_IF_ERROR(read.ForEachRow([&](const sqlite::Statement& row) {
      const int64_t slot = row.Int(0);
      const bool inside = query.ranges.empty() ||
                          std::find(query.ranges.begin(), query.ranges.end(), slot >> kRangeBits) !=
                              query.ranges.end();
      if (!inside || known.contains(slot)) return;
      neighbours.push_back({slot, session, row.Int(1), row.Int(2), row.Int(3), row.Int(4), {}});
    }));
    i = last + 1;
  }
  return {};
}

}  // namespace memory
