// The order of the stages, ties, duplicates and caps.
#include "memory/extract/select.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace memory {
namespace {

FactCandidate Of(FactCategory category, std::string content, double importance) {
  return {category, std::move(content), importance, Speaker::kUser};
}
FactCandidate Of(std::string content, double importance) {
  return Of(FactCategory::kKnowledge, std::move(content), importance);
}

std::vector<std::string> Fates(const std::vector<FactDecision>& decisions) {
  std::vector<std::string> fates;
  for (const FactDecision& decision : decisions) fates.push_back(NameOf(decision.fate));
  return fates;
}
using Names = std::vector<std::string>;

TEST(SelectFacts, MostImportantAreStoredInCandidateOrder) {
  const auto decisions =
      SelectFacts({Of("a", .5), Of("b", .9), Of("c", .39), Of("d", .6), Of("e", .7)}, {}, nullptr);
  EXPECT_EQ(Fates(decisions), (Names{"beyond", "stored", "below", "stored", "stored"}));
  EXPECT_EQ(decisions[3].fact.content, "d");
  EXPECT_DOUBLE_EQ(decisions[3].threshold, .4);
}

TEST(SelectFacts, ThresholdIsInclusiveAndEarlierFactWinsTie) {
  IngestSettings settings;
  settings.max_per_turn = 1;
  EXPECT_EQ(Fates(SelectFacts({Of("a", .4), Of("b", .4)}, settings, nullptr)),
            (Names{"stored", "beyond"}));
}

TEST(SelectFacts, DuplicateDoesNotCountInMaximum) {
  std::vector<std::string> asked;
  const auto similar = [&](const std::string& content) {
    asked.push_back(content);
    return content == "known" ? .85 : .849;
  };
  EXPECT_EQ(Fates(SelectFacts({Of("known", .9), Of("a", .8), Of("low", .1), Of("b", .7),
                               Of("c", .6), Of("d", .5)},
                              {}, similar)),
            (Names{"duplicate", "stored", "below", "stored", "stored", "beyond"}));
  EXPECT_EQ(asked, (Names{"known", "a", "b", "c"}));
}

TEST(SelectFacts, EqualNormalizedFactIsADuplicate) {
  EXPECT_EQ(Fates(SelectFacts({Of("User prefers tabs.", .5), Of("user  PREFERS \"tabs\"", .6),
                               Of("User prefers tables.", .5)},
                              {}, nullptr)),
            (Names{"duplicate", "stored", "stored"}));
  EXPECT_EQ(NormalizedFact(" User's  Cat — ÄRGER, 3.5!"), "users cat — ärger 3 5");
}

TEST(SelectFacts, BoostsPrecedeThresholdAndEndAtOne) {
  IngestSettings settings = EffectiveSettings({}, {.honesty = .9, .agreeableness = .9});
  const auto decisions = SelectFacts({Of(FactCategory::kUserPreference, "a", .33),
                                      Of(FactCategory::kCorrection, "b", .95), Of("c", .33)},
                                     settings, nullptr);
  EXPECT_EQ(Fates(decisions), (Names{"stored", "stored", "below"}));
  EXPECT_DOUBLE_EQ(decisions[0].fact.importance, .33 * kCategoryBoost);
  EXPECT_DOUBLE_EQ(decisions[1].fact.importance, 1);
}

TEST(SelectFacts, EmotionalityBoostsEmotionalFactOnce) {
  const IngestSettings settings = EffectiveSettings({}, {.emotionality = .9});
  const auto decisions =
      SelectFacts({Of("User is terribly sad and heartbroken.", .36), Of("The port is 80.", .36),
                   Of(FactCategory::kEpisodic, "User was heartbroken yesterday.", .4)},
                  settings, nullptr);
  EXPECT_EQ(Fates(decisions), (Names{"stored", "below", "stored"}));
  EXPECT_DOUBLE_EQ(decisions[2].fact.importance, .5);
}

TEST(SelectFacts, PersonalitySetsSimilarity) {
  const auto similar = [](const std::string&) { return .8; };
  EXPECT_EQ(Fates(SelectFacts({Of("a", .9)}, EffectiveSettings({}, {.honesty = 1}), similar)),
            Names{"duplicate"});
  EXPECT_EQ(Fates(SelectFacts({Of("a", .9)}, {}, similar)), Names{"stored"});
}

TEST(SelectFacts, DisabledSettingsDecideNothing) {
  IngestSettings settings;
  settings.enabled = false;
  EXPECT_TRUE(SelectFacts({Of("a", .9)}, settings, nullptr).empty());
  settings = {};
  settings.max_per_turn = 0;
  EXPECT_EQ(Fates(SelectFacts({Of("a", .9)}, settings, nullptr)), Names{"beyond"});
}

}  // namespace
}  // namespace memory
