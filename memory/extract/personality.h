// A personality by the six traits of HEXACO, and its effect on the settings of auto-ingest (B9; the
// table "HEXACO Personality Modulation" of AgentOS). Without parsing. Pure.
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
inline constexpr double kOpenThreshold = .1;    // what openness takes off the threshold
inline constexpr int kOpenFacts = 1;            // what openness adds to the facts of a turn
inline constexpr int kAgreeableTopK = 2;        // what agreeableness adds to a search's results
inline constexpr double kConscientiousSimilarity = .92, kHonestSimilarity = .75;

struct IngestSettings {
  bool enabled = true;
  double threshold = .4;    // facts of less importance are not stored
  int max_per_turn = 3;     // facts that a turn stores
  double similarity = .85;  // cosine from which on a fact is there already
  // What the importance of a category is multiplied by, in the order of FactCategory.
  std::array<double, kFactCategories> boosts = {1, 1, 1, 1, 1};
  double emotional_boost = 1;        // the same for a fact of any category that has feeling in it
  int more_top_k = 0;                // results that a search gets beyond its own number
  bool sentiment = false;            // each stored fact gets its emotions (sentiment.h)
  bool frequent_compaction = false;  // a consolidation is due after half the tokens
};

// The settings of an agent with this personality. Conscientiousness and honesty both name a
// similarity: the stronger trait decides; of equal ones conscientiousness, which drops fewer facts.
// Openness keeps emotions too, as it "tracks emotional context". A trait that is no number has no
// effect.
IngestSettings EffectiveSettings(IngestSettings settings, const Personality& personality);

}  // namespace memory
