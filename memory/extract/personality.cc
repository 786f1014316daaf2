// The table of traits, a row each.
#include "memory/extract/personality.h"

#include <algorithm>

namespace memory {

IngestSettings EffectiveSettings(IngestSettings settings, const Personality& personality) {
  const auto strong = [](double trait) { return trait > kStrongTrait; };
  const auto boost = [&](FactCategory category) {
    settings.boosts[static_cast<size_t>(category)] *= kCategoryBoost;
  };
  const bool honest = strong(personality.honesty);
  if (strong(personality.openness)) {
    settings.threshold = std::max(0.0, settings.threshold - kOpenThreshold);
    settings.max_per_turn += kOpenFacts;
    settings.sentiment = true;
  }
  if (strong(personality.conscientiousness)) {
    boost(FactCategory::kGoal);
    settings.frequent_compaction = true;
    if (!honest || personality.conscientiousness >= personality.honesty)
      settings.similarity = kConscientiousSimilarity;
  }
  if (strong(personality.agreeableness)) {
    boost(FactCategory::kUserPreference);
    settings.more_top_k += kAgreeableTopK;
  }
  if (strong(personality.emotionality)) {
    boost(FactCategory::kEpisodic);
    settings.emotional_boost *= kCategoryBoost;
    settings.sentiment = true;
  }
  if (honest) {
    boost(FactCategory::kCorrection);
    if (!strong(personality.conscientiousness) ||
        personality.honesty > personality.conscientiousness)
      settings.similarity = kHonestSimilarity;
  }
  return settings;
}

}  // namespace memory
