// Steps 3 to 6 of the recommended ranker (retrieval: "The recommended ranker, exactly").
#include "memory/model/scoring.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "memory/model/words.h"

namespace memory {
namespace {

constexpr double kSaturation = 0.9, kLengthWeight = 0.3;  // k1 and b
constexpr double kTitle = 1.5, kTag = 1.2;                // flat, for the record itself
constexpr double kQuestionFactor = 0.85, kWhenFactor = 1.2;
constexpr double kAfter[] = {1, 0.7, 0.6, 0.4};   // for the 1st, 2nd, 3rd record after a hit
constexpr double kBefore[] = {1, 0.6, 0.5, 0.3};  // and before it
// Records of a dialogue follow within minutes; others lend half (retrieval: control).
constexpr int64_t kDialogueGapMs = 10 * 60 * 1000;

double WeightOf(const Record& hit, const Record& receiver) {
  int64_t offset = receiver.position - hit.position;
  if (offset == 0) return 1;
  double weight = offset > 0 ? kAfter[offset] : kBefore[-offset];
  return weight * GapFactor(hit, receiver);
}

struct Best {
  double strength = 0,
         weight = 0;  // of one word: the best hit in the window, and its distance's weight
};

double InContent(const WordHit& hit, double length) {
  const double tf = hit.content;
  const double norm = kSaturation * (1 - kLengthWeight + kLengthWeight * length);
  return tf * (kSaturation + 1) / (tf + norm);
}

double InRecord(const WordHit& hit, double in_content) {
  return std::max({in_content, hit.title ? kTitle : 0, hit.tag ? kTag : 0});
}

// The strength of each hit of each record in its content, one behind the other.
std::vector<double> Strengths(std::span<const Record> records, double average_words) {
  std::vector<double> strengths;
  for (const Record& record : records) {
    const double length = static_cast<double>(record.words) / average_words;
    for (const WordHit& hit : record.hits) strengths.push_back(InContent(hit, length));
  }
  return strengths;
}

// What `hit` lends to `receiver`, word by word; `strengths` begin with its first.
void Lend(const Record& hit, const double* strengths, const Record& receiver,
          std::vector<Best>& best) {
  if (hit.hits.empty()) return;
  const double weight = WeightOf(hit, receiver);
  for (const WordHit& word : hit.hits) {
    double strength = *strengths++;
    if (&hit == &receiver) strength = InRecord(word, strength);
    Best& mine = best[word.word];
    if (weight * strength > mine.strength) mine = {weight * strength, weight};
  }
}

}  // namespace

double GapFactor(const Record& a, const Record& b) {
  return std::abs(a.created_ms - b.created_ms) <= kDialogueGapMs ? 1 : 0.5;
}

std::vector<double> InverseFrequencies(const Statistics& statistics) {
  std::vector<double> idf;
  for (size_t i = 0; i < statistics.rows_with.size(); ++i) {
    const double with = statistics.rows_with[i];
    const double weight = i < statistics.weights.size() ? statistics.weights[i] : 1;
    idf.push_back(weight *
                  (1 + std::log(1 + std::max(0.0, statistics.rows - with + 0.5) / (with + 0.5))));
  }
  return idf;
}

double OwnStrength(const WordHit& hit, double length) {
  return InRecord(hit, InContent(hit, length));
}

std::vector<Scored> Score(std::span<const Record> records, const Statistics& statistics,
                          bool asks_when) {
  const std::vector<double> idf = InverseFrequencies(statistics);
  const double idf_sum = std::accumulate(idf.begin(), idf.end(), 0.0);
  const double average_words = std::max(1.0, statistics.average_words);
  const std::vector<double> strengths = Strengths(records, average_words);
  std::vector<Scored> scored;
  std::vector<Best> best(idf.size());
  size_t from = 0, from_strength = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const Record& receiver = records[i];
    auto near = [&](const Record& other) {
      return other.session == receiver.session &&
             std::abs(other.position - receiver.position) <= kNeighbourReach;
    };
    while (!near(records[from])) from_strength += records[from++].hits.size();  // ends at i
    std::fill(best.begin(), best.end(), Best());
    const double *strength = strengths.data() + from_strength, *own_strength = strength;
    for (size_t j = from; j < records.size() && near(records[j]); ++j) {
      if (j == i) own_strength = strength;
      Lend(records[j], strength, receiver, best);
      strength += records[j].hits.size();
    }
    double sum = 0, covered = 0, own = 0;
    for (size_t word = 0; word < idf.size(); ++word) {
      sum += idf[word] * best[word].strength;
      covered += idf[word] * best[word].weight;
    }
    if (sum <= 0) continue;
    for (const WordHit& hit : receiver.hits) own += idf[hit.word] * InRecord(hit, *own_strength++);
    double score = sum * std::sqrt(covered / idf_sum);
    if (receiver.flags & kFlagQuestion) score *= kQuestionFactor;
    if (asks_when && (receiver.flags & kFlagTime)) score *= kWhenFactor;
    scored.push_back({receiver.slot, score, own, covered / idf_sum});
  }
  return scored;
}

bool IsBefore(const Record& a, const Record& b) {
  return std::pair(a.session, a.position) < std::pair(b.session, b.position);
}

bool RanksBefore(const Scored& a, const Scored& b) {
  return a.score != b.score ? a.score > b.score : a.slot > b.slot;
}

}  // namespace memory
