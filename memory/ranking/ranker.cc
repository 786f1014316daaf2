// Bounds the matches, loads their facts, scores them (scoring.h), and reads the rows to return.
#include "memory/ranking/ranker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>

#include "memory/model/signals.h"
#include "memory/ranking/eligible_rows.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

// Only the strongest matches and their neighbours are scored: 98 of 100 of the first five are those
// of scoring everything (100,000 rows, scripts/bench/memory.py). The next limit applies if too few
// of them have the queried type or project.
constexpr size_t kScored = 512, kScoredOfMore = 8192;
// Signals read all words of each row and of those beside it: fewer rows, which find as much
// (scripts/bench/retrieval.py).
constexpr size_t kSignalled = 64, kSignalledOfRow = 4;  // for each row to return

size_t FirstLimit(bool by_signals, size_t limit) {
  if (!by_signals) return std::max(kScored, limit);
  return std::max(std::clamp(kSignalledOfRow * limit, kSignalled, kScored), limit);
}

size_t NextLimit(size_t most) { return most < kScored ? kScored : kScoredOfMore; }

constexpr size_t kKeptWords = 4096;  // from one query to the next
// Rows whose vectors a query reads from the engine, some 30 ms; with more, only words find rows
// outside of the resident index.
constexpr double kReadVectors = 20'000;
// Their bytes, which a query holds twice: some 5,000 rows of 1,536 dimensions.
constexpr double kReadVectorBytes = 8 << 20;

}  // namespace

// The state of one query.
struct Ranker::Search {
  Question question;  // empty for an expression
  Statistics statistics;
  std::vector<int64_t> ranges;                    // non-empty ones
  std::optional<ResidentIndexes::Pinned> pinned;  // nullopt: asks the engine for everything
  bool words_pinned = false;                      // false: the engine finds words
  bool partial = false, behind = false;
  std::vector<Similarity> near;  // of all rows with vectors, in order of slots
  FusionWeights weights;         // of the model of these vectors
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};

namespace {

Admission AdmissionOf(const RankQuery& query) {
  if (query.nearest_of) return Admission::kNearest;
  return query.neighbours ? Admission::kWindow : Admission::kOwn;
}

// The counts of the queried ranges, except rows per word. `ranges`: the non-empty ones.
Result<Statistics> StatisticsOf(Candidates& candidates, const RankQuery& query, size_t words,
                                std::vector<int64_t>& ranges) {
  Statistics statistics;
  statistics.rows_with.assign(words, 0);
  double total = 0;
  ASSIGN_OR_RETURN(const std::vector<RangeCounts> counts, candidates.Count(query.ranges));
  for (const RangeCounts& range : counts) {
    ranges.push_back(range.range);
    statistics.rows += range.rows, total += range.words;
  }
  statistics.average_words = statistics.rows > 0 ? total / statistics.rows : 1;
  return statistics;
}

// Bounds the work of a query with many matches: keeps the rows with the strongest words, at an
// average length.
std::vector<Match> Strongest(const Matches& found, const Statistics& statistics, size_t most) {
  const std::vector<double> idf = InverseFrequencies(statistics);
  std::vector<std::pair<double, const Match*>> rows;
  rows.reserve(found.rows.size());
  for (const Match& match : found.rows) {
    double sum = 0;
    for (size_t i = match.first; i < match.first + match.count; ++i)
      sum += idf[found.words[i].word] * OwnStrength(found.words[i], 1);
    rows.emplace_back(sum, &match);
  }
  const auto border = rows.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(rows.begin(), border, rows.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->slot > b.second->slot;
  });
  std::vector<Match> strongest;
  strongest.reserve(most);
  for (auto at = rows.begin(); at != border; ++at) strongest.push_back(*at->second);
  std::sort(strongest.begin(), strongest.end(), IsBeforeBySlot);
  return strongest;
}

// Finds the words of the query in these records, which were not among the strongest.
void AddHits(const Matches& found, std::span<Record> records) {
  for (Record& record : records) {
    auto at =
        std::lower_bound(found.rows.begin(), found.rows.end(), Match{record.slot}, IsBeforeBySlot);
    if (at != found.rows.end() && at->slot == record.slot) record.hits = HitsOf(found, *at);
  }
}

// Puts the records from `middle` on in order of places with those before it, which are. Most are
// already.
void MergeFrom(size_t middle, std::vector<Record>& records) {
  const auto at = records.begin() + static_cast<std::ptrdiff_t>(middle);
  if (!std::is_sorted(at, records.end(), IsBefore)) std::sort(at, records.end(), IsBefore);
  std::inplace_merge(records.begin(), at, records.end(), IsBefore);
}

// A hit that the caller may not see lends nothing to its neighbours, which would show it.
base::Status KeepAdmitted(const RankQuery& query, std::vector<Record>& records) {
  if (!query.admits || records.empty()) return {};
  std::vector<int64_t> slots;
  slots.reserve(records.size());
  for (const Record& record : records) slots.push_back(record.slot);
  ASSIGN_OR_RETURN(const auto admitted, query.admits(slots));
  std::erase_if(records, [&](const Record& record) { return !admitted.contains(record.slot); });
  return {};
}

}  // namespace

// Finds the matches, in order of slots.
Status Ranker::Find(const RankQuery& query, Search& search) {
  const Question& question = search.question;
  ASSIGN_OR_RETURN(search.statistics,
                   StatisticsOf(candidates_, query, question.words.size(), search.ranges));
  search.statistics.weights = WeightsOf(question);
  std::optional<std::vector<WordKeys>> keys;
  if (resident_ && !question.words.empty()) keys = candidates_.KeysOf(question);
  const bool wanted = (keys && !query.even_behind) || !query.meaning.values.empty();
  if (resident_ && wanted) search.pinned = resident_->Pin(candidates_, search.ranges);
  search.words_pinned = search.pinned && keys && !query.even_behind;
  if (search.words_pinned) {
    search.pinned->Find(*keys, found_);
  } else if (query.operators || !question.words.empty()) {
    if (!query.even_behind) {
      ASSIGN_OR_RETURN(search.behind, candidates_.AnyWaits(query.ranges));
      if (search.behind) return {};
    }
    const SearchBounds bounds{query.ranges, query.deadline_ms, query.stop};
    ASSIGN_OR_RETURN(search.partial, query.operators
                                         ? candidates_.FindExpression(query.text, bounds, found_)
                                         : candidates_.FindWords(question, bounds, found_));
  }
  if (!std::is_sorted(found_.rows.begin(), found_.rows.end(), IsBeforeBySlot))
    std::sort(found_.rows.begin(), found_.rows.end(), IsBeforeBySlot);
  std::vector<double>& rows_with = search.statistics.rows_with;
  for (const WordHit& hit : found_.words) {
    if (hit.word >= rows_with.size()) rows_with.resize(hit.word + 1);
    ++rows_with[hit.word];
  }
  return {};
}

// The `most` strongest matches, the rows `others`, and their neighbours, in order of places.
Result<std::vector<Record>> Ranker::Load(const RankQuery& query, const Search& search, size_t most,
                                         std::span<const int64_t> others) {
  std::vector<Match> fewer;
  if (found_.rows.size() > most) fewer = Strongest(found_, search.statistics, most);
  const std::vector<Match>& strongest = fewer.empty() ? found_.rows : fewer;
  std::vector<Record> records;
  if (search.words_pinned) {
    records.reserve(2 * (strongest.size() + others.size()));
    search.pinned->AppendRecords(found_, strongest, records);
    MergeFrom(0, records);
    const size_t with_words = records.size();
    search.pinned->AppendRecordsOf(others, records);
    MergeFrom(with_words, records);
  } else {
    ASSIGN_OR_RETURN(records, candidates_.RecordsOf(found_, strongest));
    MergeFrom(0, records);
  }
  RETURN_IF_ERROR(KeepAdmitted(query, records));
  if (!query.neighbours) return records;
  std::vector<Record> neighbours;
  if (search.words_pinned)
    search.pinned->AppendNeighbours(records, kNeighbourReach, neighbours);
  else
    RETURN_IF_ERROR(
        candidates_.AppendNeighbours(query.ranges, records, kNeighbourReach, neighbours));
  if (!fewer.empty()) AddHits(found_, neighbours);
  if (!fewer.empty() || BySignals(query, search)) RETURN_IF_ERROR(KeepAdmitted(query, neighbours));
  const size_t asked = records.size();
  records.insert(records.end(), neighbours.begin(), neighbours.end());
  MergeFrom(asked, records);
  return records;
}

// FindNear by the remote model. Runs before Find, which locks indexes against writes. A result that
// the deadline cuts is dropped in favour of the table of the local model.
Status Ranker::FindRemote(const RankQuery& query, Search& search) {
  const Meaning& meaning = query.remote_meaning;
  if (meaning.values.empty()) return {};
  std::vector<int64_t> ranges;
  ASSIGN_OR_RETURN(const Statistics statistics, StatisticsOf(candidates_, query, 0, ranges));
  const double bytes = statistics.rows * static_cast<double>(meaning.values.size());
  if (statistics.rows > kReadVectors || bytes > kReadVectorBytes) return {};
  ASSIGN_OR_RETURN(
      const bool cut,
      candidates_.AppendNear({meaning.values, meaning.model, meaning.remote},
                             {std::move(ranges), query.deadline_ms, query.stop}, search.near));
  if (cut) search.near.clear();
  search.weights = meaning.weights;
  return {};
}

// Whether the signals of the matches are all in memory.
bool Ranker::BySignals(const RankQuery& query, const Search& search) const {
  return search.words_pinned && search.weights.signals && query.meaning.pieces != nullptr &&
         !search.near.empty() && !query.nearest_of;
}

// The slots of the nearest `most` rows without a word of the query, in ascending order.
std::vector<int64_t> Ranker::Others(const RankQuery& query, const Search& search,
                                    size_t most) const {
  std::vector<int64_t> slots;
  if (!BySignals(query, search)) return slots;
  slots.reserve(found_.rows.size());
  for (const Match& match : found_.rows) slots.push_back(match.slot);
  const std::vector<Similarity> nearest =
      NearestOthers(slots, search.near, search.weights.floor, AdmissionOf(query), most);
  slots.clear();
  for (const Similarity& row : nearest) slots.push_back(row.slot);
  return slots;
}

// The similarity of rows to the query, within the rest of the deadline.
Status Ranker::FindNear(const RankQuery& query, Search& search) {
  if (query.meaning.values.empty() || !search.near.empty()) return {};
  search.weights = query.meaning.weights;
  if (search.pinned && resident_->model() == query.meaning.model) {
    search.pinned->AppendSimilarities(query.meaning, search.near);
    return {};
  }
  if (search.statistics.rows > kReadVectors) return {};
  const auto spent = std::chrono::steady_clock::now() - search.begun;
  const int64_t spent_ms = std::chrono::duration_cast<std::chrono::milliseconds>(spent).count();
  ASSIGN_OR_RETURN(const bool cut,
                   candidates_.AppendNear(
                       {query.meaning.values, query.meaning.model, query.meaning.remote},
                       {search.ranges, query.deadline_ms - spent_ms, query.stop}, search.near));
  search.partial = search.partial || cut;
  return {};
}

// Frees the memory of a large query, which each connection would keep otherwise.
void Ranker::Clear() {
  if (found_.words.capacity() > kKeptWords) std::vector<WordHit>().swap(found_.words);
  if (found_.rows.capacity() > kKeptWords) std::vector<Match>().swap(found_.rows);
  found_.rows.clear();
  found_.words.clear();
}

Result<Ranking> Ranker::Rank(const RankQuery& query) {
  Clear();
  Search search;
  if (!query.operators) {
    // Until all rows have terms of this version, a question also has the words of former terms.
    ASSIGN_OR_RETURN(const bool old_terms, candidates_.AnyOldTerms());
    search.question =
        ReadQuestion(query.text, kMostWords, old_terms ? Rows::kSomeUncut : Rows::kCut);
  }
  RETURN_IF_ERROR(FindRemote(query, search));
  RETURN_IF_ERROR(Find(query, search));
  Ranking ranking;
  ranking.behind = search.behind;
  if (search.behind) return ranking;
  const std::vector<double> idf = InverseFrequencies(search.statistics);
  if (!idf.empty()) ranking.whole = std::accumulate(idf.begin(), idf.end(), 0.0);
  RETURN_IF_ERROR(FindNear(query, search));
  if (query.nearest_of) {
    std::erase_if(search.near, [&](const Similarity& row) {
      return !std::binary_search(query.nearest_of->begin(), query.nearest_of->end(), row.slot);
    });
  }
  ranking.partial = search.partial;
  ranking.by_meaning = !search.near.empty();
  const size_t candidates = std::max(found_.rows.size(), search.near.size());
  for (size_t most = FirstLimit(BySignals(query, search), query.limit);; most = NextLimit(most)) {
    const std::vector<int64_t> others = Others(query, search, most);
    ASSIGN_OR_RETURN(const std::vector<Record> records, Load(query, search, most, others));
    const bool all = most >= std::min(candidates, kScoredOfMore);
    const std::vector<Scored> scored = Score(records, search.statistics, search.question.asks_when);
    const auto soft = [&](const std::vector<bool>& wanted) {
      return search.pinned->SoftMatches(query.meaning, records, wanted);
    };
    std::vector<Ranked> ranked =
        BySignals(query, search)
            ? RankBySignals({records, scored, search.near, others, search.question}, query.limit,
                            soft)
            : Fuse(scored, search.near, search.weights, AdmissionOf(query), most, query.limit);
    if (query.pinned_first) LiftPinned(records, ranked);
    // Unlocks the indexes before asking the engine: their updates wait for it.
    const bool was_pinned = search.pinned.has_value();
    search.pinned.reset();
    if (!query.operators) RETURN_IF_ERROR(AddTopics(candidates_, query, search.ranges, ranked));
    ASSIGN_OR_RETURN(ranking.rows, SelectEligible(candidates_, query, std::move(ranked)));
    if (all || ranking.rows.size() >= query.limit) break;
    if (!was_pinned) continue;
    Clear();
    search.ranges.clear();
    RETURN_IF_ERROR(Find(query, search));
  }
  Clear();
  return ranking;
}

}  // namespace memory
