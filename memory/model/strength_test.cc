// Values and properties of the forgetting curve.
#include "memory/model/strength.h"

#include <gtest/gtest.h>

#include <cmath>

namespace memory {
namespace {

constexpr int64_t kStrengthDay = 86'400'000;
const StrengthRules kCurve;

TEST(StrengthCurve, EpisodicIsOverEAfterItsStability) {
  EXPECT_DOUBLE_EQ(StrengthAt({1, 0, 0}, kEpisodic, {}, 0, kCurve), 1);
  EXPECT_NEAR(StrengthAt({1, 0, 0}, kEpisodic, {}, 7 * kStrengthDay, kCurve), std::exp(-1), 1e-12);
  EXPECT_NEAR(StrengthAt({1, 0, 3}, kEpisodic, {}, 28 * kStrengthDay, kCurve), std::exp(-1), 1e-12)
      << "each retrieval makes it last as long again";
  EXPECT_NEAR(StrengthAt({0.5, 0, 0}, kEpisodic, {}, 7 * kStrengthDay, kCurve), 0.5 * std::exp(-1),
              1e-12);
}

TEST(StrengthCurve, SemanticAndProceduralLastFourTimesAsLong) {
  for (const char* kind : {kSemantic, kProcedural})
    EXPECT_NEAR(StrengthAt({1, 0, 0}, kind, {}, 28 * kStrengthDay, kCurve), std::exp(-1), 1e-12)
        << kind;
}

TEST(StrengthCurve, ProspectiveWaitsForItsTime) {
  EXPECT_EQ(StrengthAt({1, 0, 0}, kProspective, {}, 1000 * kStrengthDay, kCurve), 1);
  EXPECT_EQ(StrengthAt({1, 0, 0}, kProspective, 30 * kStrengthDay, 30 * kStrengthDay, kCurve), 1);
  EXPECT_NEAR(StrengthAt({1, 0, 0}, kProspective, 30 * kStrengthDay, 37 * kStrengthDay, kCurve),
              std::exp(-1), 1e-12);
}

TEST(StrengthCurve, AClockThatWasSetBackDecaysNothing) {
  EXPECT_EQ(StrengthAt({0.8, kStrengthDay, 0}, kEpisodic, {}, 0, kCurve), 0.8);
}

TEST(StrengthCurve, ARetrievalAddsATenthUpToOne) {
  const Strength once = Retrieved({1, 0, 0}, kEpisodic, {}, 1, 7 * kStrengthDay, kCurve);
  EXPECT_NEAR(once.value, std::exp(-1) + 0.1, 1e-12);
  EXPECT_EQ(once.accessed_ms, 7 * kStrengthDay);
  EXPECT_EQ(once.retrievals, 1);
  EXPECT_EQ(Retrieved({1, 0, 0}, kEpisodic, {}, 5, 0, kCurve).value, 1);
}

}  // namespace
}  // namespace memory
