// Scores all candidates, then visits them by importance: threshold, duplicates, maximum of the
// turn.
#include "memory/extract/select.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "lib/base/text/text.h"
#include "memory/extract/sentiment.h"

namespace memory {
namespace {

constexpr double kFeeling = .4;  // the lowest |valence| of an emotional fact

double ScoreOf(const FactCandidate& fact, const IngestSettings& settings) {
  double score = fact.importance * settings.boosts[static_cast<size_t>(fact.category)];
  // Boosts once: an episode already has the boost of its category.
  const bool boosted = settings.boosts[static_cast<size_t>(fact.category)] > 1;
  if (!boosted && settings.emotional_boost > 1 &&
      std::abs(EmotionsOf(fact.content).valence) >= kFeeling)
    score *= settings.emotional_boost;
  return std::clamp(score, 0.0, 1.0);
}

}  // namespace

std::string NormalizedFact(const std::string& content) {
  std::string words;
  for (const char c : base::FoldCase(content)) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter)
      words += c;
    else if (c != '\'' && !words.empty() && words.back() != ' ')
      words += ' ';
  }
  if (words.ends_with(' ')) words.pop_back();
  return words;
}

std::vector<FactDecision> SelectFacts(std::vector<FactCandidate> candidates,
                                      const IngestSettings& settings, const SimilarityOf& similar) {
  std::vector<FactDecision> decisions;
  if (!settings.enabled) return decisions;
  for (FactCandidate& fact : candidates) {
    fact.importance = ScoreOf(fact, settings);
    decisions.push_back({std::move(fact), settings.threshold, FactFate::kBelow});
  }
  std::vector<size_t> order(decisions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return decisions[a].fact.importance > decisions[b].fact.importance;
  });
  std::unordered_set<std::string> stored;
  for (const size_t at : order) {
    FactDecision& decision = decisions[at];
    if (decision.fact.importance < settings.threshold) break;  // like all after it
    const std::string words = NormalizedFact(decision.fact.content);
    if (stored.contains(words)) {
      decision.fate = FactFate::kDuplicate;
    } else if (static_cast<int>(stored.size()) >= settings.max_per_turn) {
      decision.fate = FactFate::kBeyond;
    } else if (similar && similar(decision.fact.content) >= settings.similarity) {
      decision.fate = FactFate::kDuplicate;
    } else {
      decision.fate = FactFate::kStored;
      stored.insert(words);
    }
  }
  return decisions;
}

}  // namespace memory
