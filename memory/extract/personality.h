// A personality of six HEXACO traits, and its effect on the settings of auto-ingest (B9; the table
// "HEXACO Personality Modulation" of AgentOS). Pure.
#pragma once

#include <array>

#include "memory/extract/grammar/fact.h"

namespace memory {

// Each 0…1. A trait has an effect above kStrongTrait; extraversion has none.
struct Personality {
  double honesty = .5, emotionality = .5, extraversion = .5;
  double agreeableness = .5, conscientiousness = .5, openness = .5;
};
inline constexpr double kStrongTrait = .6;

inline constexpr double kCategoryBoost = 1.25;  // of the importance; the result is at most 1
inline constexpr double kOpenThreshold = .1;    // openness lowers the threshold by this
inline constexpr int kOpenFacts = 1;            // openness adds so many facts a turn
inline constexpr int kAgreeableTopK = 2;        // agreeableness adds so many results to a search
inline constexpr double kConscientiousSimilarity = .92, kHonestSimilarity = .75;

struct IngestSettings {
  bool enabled = true;
  double threshold = .4;    // facts of less importance are not stored
  int max_per_turn = 3;     // facts that a turn stores
  double similarity = .85;  // the lowest cosine with a stored fact that makes it a duplicate
  // Factors of the importance by category, in the order of FactCategory.
  std::array<double, kFactCategories> boosts = {1, 1, 1, 1, 1};
  double emotional_boost = 1;        // factor for an emotional fact of any other category
  int more_top_k = 0;                // additional results of a search
  bool sentiment = false;            // each stored fact gets its emotions (sentiment.h)
  bool frequent_compaction = false;  // a consolidation is due after half the tokens
};

// The settings of an agent with this personality. Conscientiousness and honesty both set the
// similarity: the stronger trait wins, and conscientiousness, which drops fewer facts, if they are
// equal. Openness also stores emotions, as it "tracks emotional context". NaN traits have no
// effect.
IngestSettings EffectiveSettings(IngestSettings settings, const Personality& personality);

}  // namespace memory
