// The table of traits, row by row.
#include "memory/extract/personality.h"

#include <gtest/gtest.h>

#include <cmath>

namespace memory {
namespace {

double BoostOf(const IngestSettings& settings, FactCategory category) {
  return settings.boosts[static_cast<size_t>(category)];
}

TEST(IngestPersonality, DefaultsEqualTheSeed) {
  const IngestSettings settings;
  EXPECT_TRUE(settings.enabled);
  EXPECT_DOUBLE_EQ(settings.threshold, .4);
  EXPECT_EQ(settings.max_per_turn, 3);
  EXPECT_DOUBLE_EQ(settings.similarity, .85);
}

TEST(IngestPersonality, WeakTraitsChangeNothing) {
  const IngestSettings settings = EffectiveSettings({}, {.6, .6, 1, .6, .6, .6});
  EXPECT_DOUBLE_EQ(settings.threshold, .4);
  EXPECT_EQ(settings.max_per_turn, 3);
  EXPECT_DOUBLE_EQ(settings.similarity, .85);
  EXPECT_EQ(settings.more_top_k, 0);
  EXPECT_FALSE(settings.sentiment || settings.frequent_compaction);
  for (const double boost : settings.boosts) EXPECT_DOUBLE_EQ(boost, 1);
  EXPECT_DOUBLE_EQ(settings.emotional_boost, 1);
}

TEST(IngestPersonality, OpennessStoresMoreFacts) {
  const IngestSettings settings = EffectiveSettings({}, {.openness = .61});
  EXPECT_DOUBLE_EQ(settings.threshold, .3);
  EXPECT_EQ(settings.max_per_turn, 4);
  EXPECT_TRUE(settings.sentiment);
  EXPECT_DOUBLE_EQ(settings.similarity, .85);
  IngestSettings low;
  low.threshold = .05;
  EXPECT_DOUBLE_EQ(EffectiveSettings(low, {.openness = 1}).threshold, 0);
}

TEST(IngestPersonality, ConscientiousnessBoostsGoalsAndCompactsMoreOften) {
  const IngestSettings settings = EffectiveSettings({}, {.conscientiousness = .7});
  EXPECT_DOUBLE_EQ(BoostOf(settings, FactCategory::kGoal), kCategoryBoost);
  EXPECT_DOUBLE_EQ(BoostOf(settings, FactCategory::kEpisodic), 1);
  EXPECT_DOUBLE_EQ(settings.similarity, .92);
  EXPECT_TRUE(settings.frequent_compaction);
}

TEST(IngestPersonality, AgreeablenessBoostsPreferencesAndFindsMore) {
  const IngestSettings settings = EffectiveSettings({}, {.agreeableness = .9});
  EXPECT_DOUBLE_EQ(BoostOf(settings, FactCategory::kUserPreference), kCategoryBoost);
  EXPECT_EQ(settings.more_top_k, 2);
}

TEST(IngestPersonality, EmotionalityBoostsEpisodesAndFeelings) {
  const IngestSettings settings = EffectiveSettings({}, {.emotionality = .9});
  EXPECT_DOUBLE_EQ(BoostOf(settings, FactCategory::kEpisodic), kCategoryBoost);
  EXPECT_DOUBLE_EQ(settings.emotional_boost, kCategoryBoost);
  EXPECT_TRUE(settings.sentiment);
  EXPECT_DOUBLE_EQ(settings.threshold, .4);
}

TEST(IngestPersonality, HonestyBoostsCorrections) {
  const IngestSettings settings = EffectiveSettings({}, {.honesty = .9});
  EXPECT_DOUBLE_EQ(BoostOf(settings, FactCategory::kCorrection), kCategoryBoost);
  EXPECT_DOUBLE_EQ(settings.similarity, .75);
}

TEST(IngestPersonality, StrongerTraitSetsSimilarity) {
  const auto similarity = [](double honesty, double conscientiousness) {
    return EffectiveSettings({}, {.honesty = honesty, .conscientiousness = conscientiousness})
        .similarity;
  };
  EXPECT_DOUBLE_EQ(similarity(.9, .7), .75);
  EXPECT_DOUBLE_EQ(similarity(.7, .9), .92);
  EXPECT_DOUBLE_EQ(similarity(.8, .8), .92);
}

TEST(IngestPersonality, NanTraitHasNoEffect) {
  const double none = std::nan("");
  const IngestSettings settings = EffectiveSettings({}, {none, none, none, none, none, none});
  EXPECT_DOUBLE_EQ(settings.similarity, .85);
  EXPECT_DOUBLE_EQ(settings.threshold, .4);
  EXPECT_EQ(settings.more_top_k, 0);
}

}  // namespace
}  // namespace memory
