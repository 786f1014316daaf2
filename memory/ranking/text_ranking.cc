// Bounds the matches by their words, loads the facts of the rest, and scores these.
#include "memory/ranking/text_ranking.h"

#include <algorithm>
#include <numeric>

namespace memory {

using base::Result;

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

}  // namespace

Result<TextMatches> RankTexts(TextCandidates& texts, const TextQuery& query) {
  TextMatches ranked;
  ASSIGN_OR_RETURN(const bool old_terms, texts.AnyOldTerms());
  const Question question =
      ReadQuestion(query.text, kMostWords, old_terms ? Rows::kSomeUncut : Rows::kCut);
  ranked.words = !question.words.empty();
  if (!ranked.words) return ranked;
  Matches found;
  ASSIGN_OR_RETURN(
      ranked.partial,
      texts.FindWords(question, {{query.project}, query.deadline_ms, query.stop}, found));
  ASSIGN_OR_RETURN(const RangeCounts counts, texts.Count(query.project));
  Statistics statistics;
  statistics.rows = counts.rows;
  statistics.average_words = counts.rows > 0 ? counts.words / counts.rows : 1;
  statistics.weights = WeightsOf(question);
  statistics.rows_with.assign(question.words.size(), 0);
  for (const WordHit& hit : found.words) ++statistics.rows_with[hit.word];
  KeepStrongest(found, statistics);
  std::sort(found.rows.begin(), found.rows.end(), IsBeforeBySlot);
  ASSIGN_OR_RETURN(const std::vector<Record> records, texts.RecordsOf(found, found.rows));
  const std::vector<double> idf = InverseFrequencies(statistics);
  const double whole = std::accumulate(idf.begin(), idf.end(), 0.0);
  ranked.rows = Score(records, statistics, question.asks_when);
  for (Scored& row : ranked.rows) row.score = std::min(1.0, row.score / whole);
  return ranked;
}

}  // namespace memory
