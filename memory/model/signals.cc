// docs/adr: a sum of signals has the weights and how they were found.
#include "memory/model/signals.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

namespace memory {
namespace {

constexpr double kLexical = 2.8, kOwnWords = 1.2, kCovered = 1.35;
constexpr double kWindow = 0.55, kOwnMeaning = 1.2, kSoft = 1.65;
constexpr double kSession = 1.7;
constexpr double kAnswer = 1.8;
constexpr double kTime = 2.5, kNumber = 1.9;
constexpr double kHit = -0.4, kAsks = -0.95;
constexpr double kWhole = kLexical + kOwnWords + kCovered + kWindow + kOwnMeaning + kSoft +
                          kSession + kAnswer + kTime + kNumber;
// What makes a session's best row.
constexpr double kSessionWords = 3.5, kSessionMeaning = 1.85;
constexpr double kAsksAmongOthers = 0.5;  // a question mark that is not the end
// Rows with a soft match: more of them find no more (scripts/bench/retrieval.py).
constexpr size_t kSoftRows = 32, kSoftRowsOfRow = 2;  // for each row to return

// (x − mean) / (max − mean), not below 0: what a row does not say takes nothing from it.
class Normal {
 public:
  void Add(double value) {
    most_ = count_ == 0 ? value : std::max(most_, value);
    sum_ += value;
    ++count_;
  }
  void End() { mean_ = count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  // After End(). Rows that are all alike are the nearest.
  double operator()(double value) const {
    return most_ > mean_ ? std::max(0.0, (value - mean_) / (most_ - mean_)) : 1;
  }
  double most() const { return most_; }

 private:
  double most_ = 0, sum_ = 0, mean_ = 0;
  size_t count_ = 0;
};

double AsksOf(const Record& record) {
  if (record.flags & kFlagQuestion) return 1;
  return record.flags & kFlagAsks ? kAsksAmongOthers : 0;
}

// The one with this slot, or null. `near` is in order of slots, which nearly all follow each other:
// the slot is at the place that its distance from the first one says, or before it for each gap.
const Similarity* SimilarityOf(std::span<const Similarity> near, int64_t slot) {
  if (near.empty() || slot < near.front().slot) return nullptr;
  const auto last = std::min(static_cast<size_t>(slot - near.front().slot), near.size() - 1);
  if (near[last].slot == slot) return &near[last];
  const auto before = near.first(last);
  const auto at =
      std::lower_bound(before.begin(), before.end(), slot,
                       [](const Similarity& one, int64_t wanted) { return one.slot < wanted; });
  return at != before.end() && at->slot == slot ? &*at : nullptr;
}

bool HasWord(const Record& record) {
  return std::any_of(record.hits.begin(), record.hits.end(),
                     [](const WordHit& hit) { return hit.content > 0; });
}

// What the signals need of a record; its own words and meaning also as the row before an answer.
struct Row {
  const Similarity* similarity = nullptr;  // null: the row has no vector
  const Scored* lexical = nullptr;         // null: no word
  bool ranked = false;
  double own_words = 0, own_meaning = 0, window = 0, session = 0;
  // Of a ranked one: an answer, and of the sum what words, meaning and the types of texts add.
  double answer = 0, of_words = 0, of_meaning = 0, of_types = 0;
};

class Sum {
 public:
  explicit Sum(const SignalInput& input) : input_(input), rows_(input.records.size()) {
    Join();
    Normalize();
    FindSessions();
    for (size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      if (!row.ranked) continue;
      row.answer = AnswerOf(i);
      row.of_words = WordsOf(i);
      row.of_meaning = kWindow * row.window + kOwnMeaning * row.own_meaning;
      row.of_types = TypesOf(i);
    }
  }

  // Gives the `most` best rows their soft matches.
  void MatchSoft(size_t most, const SoftMatcher& soft) {
    std::vector<std::pair<double, size_t>> sums;
    sums.reserve(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].ranked) sums.emplace_back(SumOf(rows_[i], 0), i);
    most = std::min(most, sums.size());
    std::partial_sort(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(most), sums.end(),
                      std::greater<>());
    std::vector<bool> wanted(rows_.size());
    for (size_t i = 0; i < most; ++i) wanted[sums[i].second] = true;
    matches_ = soft(wanted);
    for (size_t i = 0; i < rows_.size(); ++i)
      if (wanted[i]) soft_.Add(matches_[i]);
    soft_.End();
  }

  std::vector<Ranked> Rank() const {
    std::vector<Ranked> ranked;
    ranked.reserve(input_.lexical.size() + input_.others.size());
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (!row.ranked) continue;
      Ranked& made = ranked.emplace_back();
      made.slot = input_.records[i].slot;
      made.lexical = row.lexical ? row.lexical->score : 0;
      if (row.similarity) made.similarity = row.similarity->window;
      const double soft = soft_.most() > 0 ? soft_(matches_[i]) : 0;
      made.signals = Signals{static_cast<float>(soft), static_cast<float>(row.session),
                             static_cast<float>(row.answer)};
      const double sum = SumOf(row, soft);
      // Above 0 whatever the sum is, in its order.
      made.score = (sum > 0 ? 1 + sum : std::exp(sum)) / (1 + kWhole);
    }
    return ranked;
  }

 private:
  // Finds the similarity and the lexical score of each record.
  void Join() {
    auto lexical = input_.lexical.begin();
    for (size_t i = 0; i < rows_.size(); ++i) {
      const int64_t slot = input_.records[i].slot;
      Row& row = rows_[i];
      row.similarity = SimilarityOf(input_.near, slot);
      if (lexical != input_.lexical.end() && lexical->slot == slot) row.lexical = &*lexical++;
      row.ranked =
          row.lexical || std::binary_search(input_.others.begin(), input_.others.end(), slot);
    }
  }

  void Normalize() {
    Normal window, own;
    for (const Similarity& one : input_.near) window.Add(one.window), own.Add(one.own);
    window.End();
    own.End();
    double best_own = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (!row.lexical) continue;
      best_ = std::max(best_, row.lexical->score);
      best_own = std::max(best_own, row.lexical->own);
    }
    for (Row& row : rows_) {
      if (row.similarity) {
        row.window = window(row.similarity->window);
        row.own_meaning = own(row.similarity->own);
      }
      if (row.lexical && best_own > 0) row.own_words = row.lexical->own / best_own;
    }
  }

  double LexicalOf(const Row& row) const {
    return row.lexical && best_ > 0 ? row.lexical->score / best_ : 0;
  }

  double WordsOf(size_t i) const {
    const Row& row = rows_[i];
    if (!row.lexical) return 0;
    return kLexical * LexicalOf(row) + kOwnWords * row.own_words + kCovered * row.lexical->covered +
           (HasWord(input_.records[i]) ? kHit : 0);
  }

  // The best row of the session, as a share of the best one of all.
  void FindSessions() {
    double best = 0;
    for (size_t first = 0, end = 0; first < rows_.size(); first = end) {
      double most = 0;
      for (; end < rows_.size() && input_.records[end].session == input_.records[first].session;
           ++end) {
        const Row& row = rows_[end];
        if (row.ranked)
          most = std::max(most, kSessionWords * LexicalOf(row) + kSessionMeaning * row.window);
      }
      for (size_t i = first; i < end; ++i) rows_[i].session = most;
      best = std::max(best, most);
    }
    for (Row& row : rows_) row.session = best > 0 ? row.session / best : 0;
  }

  // What the row answers: a near question right before it.
  double AnswerOf(size_t i) const {
    if (i == 0) return 0;
    const Record &here = input_.records[i], &before = input_.records[i - 1];
    if (before.session != here.session || before.position + 1 != here.position) return 0;
    return AsksOf(before) * GapFactor(before, here) * rows_[i - 1].own_meaning;
  }

  // What only the kinds of question and row say.
  double TypesOf(size_t i) const {
    const Record& record = input_.records[i];
    double sum = kAsks * AsksOf(record);
    if (input_.question.asks_when && (record.flags & kFlagTime)) sum += kTime;
    if (input_.question.asks_how_many && (record.flags & kFlagNumber)) sum += kNumber;
    return sum;
  }

  static double SumOf(const Row& row, double soft) {
    return row.of_words + (row.of_meaning + kSoft * soft) + kSession * row.session +
           kAnswer * row.answer + row.of_types;
  }

  const SignalInput& input_;
  std::vector<Row> rows_;        // of each record
  std::vector<double> matches_;  // soft ones, of each record; empty before MatchSoft
  Normal soft_;                  // over the rows with a soft match
  double best_ = 0;              // lexical score
};

}  // namespace

std::vector<Ranked> RankBySignals(const SignalInput& input, size_t limit, const SoftMatcher& soft) {
  Sum sum(input);
  sum.MatchSoft(std::max(kSoftRows, kSoftRowsOfRow * limit), soft);
  std::vector<Ranked> ranked = sum.Rank();
  NameMethods(ranked, limit);
  return ranked;
}

}  // namespace memory
