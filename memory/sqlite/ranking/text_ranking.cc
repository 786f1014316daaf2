// Scores the finder's hits in another FTS5 table.
#include <algorithm>
#include <numeric>

#include "memory/model/slots.h"
#include "memory/sqlite/ranking/ranker.h"
#include "memory/sqlite/ranking/text_table.h"

namespace memory {

using base::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr size_t kScoredTexts = 512;

// Keeps the matches with the most of the query, by idf only.
void KeepStrongest(Matches& found, const Statistics& statistics) {
  if (found.rows.size() <= kScoredTexts) return;
  const std::vector<double> idf = InverseFrequencies(statistics);
  std::vector<std::pair<double, Match>> ranked;
  ranked.reserve(found.rows.size());
  for (const Match& match : found.rows) {
    double sum = 0;
    for (const WordHit& hit : HitsOf(found, match)) sum += idf[hit.word] * OwnStrength(hit, 1);
    ranked.emplace_back(sum, match);
  }
  const auto border = ranked.begin() + kScoredTexts;
  std::nth_element(ranked.begin(), border, ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.slot > b.second.slot;
  });
  found.rows.clear();
  for (auto at = ranked.begin(); at != border; ++at) found.rows.push_back(at->second);
}

Result<Statistics> CountsOf(Database& database, const TextTable& table, int64_t project) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(table.counts));
  ASSIGN_OR_RETURN(bool row, read.Bind(project).Step());
  Statistics statistics;
  statistics.rows = row ? read.Real(0) : 0;
  statistics.average_words = statistics.rows > 0 ? read.Real(1) / statistics.rows : 1;
  return statistics;
}

}  // namespace

Result<TextMatches> Ranker::RankTexts(Database& database, const TextTable& table,
                                      const TextQuery& query) {
  TextMatches ranked;
  ASSIGN_OR_RETURN(const Question question, Read(database, query.text, kUncutItems));
  ranked.words = !question.words.empty();
  if (!ranked.words) return ranked;
  Matches found;
  MatchText match = AnyWordOf(question);
  ASSIGN_OR_RETURN(ranked.partial, fts5_.FindTexts(database, table, query, match.expression,
                                                   std::move(match.owner), found));
  ASSIGN_OR_RETURN(Statistics statistics, CountsOf(database, table, query.project));
  statistics.weights = WeightsOf(question);
  statistics.rows_with.assign(question.words.size(), 0);
  for (const WordHit& hit : found.words) ++statistics.rows_with[hit.word];
  KeepStrongest(found, statistics);
  std::sort(found.rows.begin(), found.rows.end(), IsBeforeBySlot);
  std::string slots = "[";
  for (const Match& row : found.rows)
    slots += (slots.size() > 1 ? "," : "") + std::to_string(row.slot);
  ASSIGN_OR_RETURN(Statement read, database.Prepare(table.facts));
  read.Bind(slots + "]").Bind(query.now_ms);
  std::vector<Record> records;
  auto at = found.rows.begin();
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    const int64_t slot = row.Int(0);
    while (at->slot != slot) ++at;  // both in order of slots
    records.push_back({slot, slot, 0, row.Int(1), row.Int(2), row.Int(3), HitsOf(found, *at)});
  }));
  const std::vector<double> idf = InverseFrequencies(statistics);
  const double whole = std::accumulate(idf.begin(), idf.end(), 0.0);
  ranked.rows = Score(records, statistics, question.asks_when);
  for (Scored& row : ranked.rows) row.score = std::min(1.0, row.score / whole);
  return ranked;
}

}  // namespace memory
