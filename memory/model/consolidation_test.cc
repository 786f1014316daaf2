// Plans of consolidation, case by case.
#include "memory/model/consolidation.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

constexpr int64_t kPlanDay = 86'400'000, kPlanNow = 1000 * kPlanDay;

TraceSketch SketchOf(int64_t slot, const std::string& hash, const std::string& kind = kEpisodic) {
  TraceSketch made;
  made.slot = slot;
  made.kind = kind;
  made.scope = "user";
  made.hash = hash;
  made.strength = {1, kPlanNow, 0};
  made.created_ms = kPlanNow;
  return made;
}

ConsolidationPlan PlanOf(const std::vector<TraceSketch>& traces,
                         const std::vector<std::pair<size_t, size_t>>& near = {}) {
  const NearSource source = [&](const PairTaker& taker) {
    for (const auto& [a, b] : near)
      if (taker.wants(a, b)) taker.take(a, b);
  };
  return PlanConsolidation(traces, source, kPlanNow, {}, {});
}

using Slots = std::vector<int64_t>;

TEST(ConsolidationPlanTest, WhatFadedIsPruned) {
  TraceSketch faded = SketchOf(1, "a"), fading = SketchOf(2, "b");
  faded.strength.accessed_ms = kPlanNow - 21 * kPlanDay;   // e^-3 = .0498
  fading.strength.accessed_ms = kPlanNow - 20 * kPlanDay;  // .057
  EXPECT_EQ(PlanOf({faded, fading}).prune, Slots{1});
  faded.kind = kSemantic;
  EXPECT_TRUE(PlanOf({faded}).prune.empty()) << "it lasts four times as long";
}

TEST(ConsolidationPlanTest, AProspectiveOneWaitsForItsTime) {
  TraceSketch open = SketchOf(1, "a", kProspective), later = open, past = open;
  open.strength.value = later.strength.value = past.strength.value = 0.01;
  later.slot = 2, later.remind_ms = kPlanNow + 1;
  past.slot = 3, past.remind_ms = kPlanNow - kPlanDay;
  const auto plan = PlanOf({open, later, past});
  EXPECT_EQ(plan.prune, Slots{3});
  EXPECT_TRUE(plan.merge.empty());
}

TEST(ConsolidationPlanTest, EqualAndNearOnesOfOneKindAndScopeAreMerged) {
  std::vector<TraceSketch> traces = {SketchOf(1, "a"), SketchOf(2, "a"), SketchOf(3, "b"),
                                     SketchOf(4, "c", kSemantic), SketchOf(5, "d")};
  traces[4].scope = "thread";
  const auto plan = PlanOf(traces, {{1, 2}, {2, 3}, {2, 4}});
  ASSERT_EQ(plan.merge.size(), 1u);
  EXPECT_EQ(plan.merge[0], (Slots{1, 2, 3}));
}

TEST(ConsolidationPlanTest, OfFarTooManyNearOnesAGroupHasTwenty) {
  std::vector<TraceSketch> traces;
  std::vector<std::pair<size_t, size_t>> near;
  for (int i = 0; i < 100; ++i) traces.push_back(SketchOf(i + 1, std::to_string(i)));
  for (size_t i = 1; i < 100; ++i) near.emplace_back(i - 1, i);
  for (const Slots& group : PlanOf(traces, near).merge) EXPECT_LE(group.size(), 20u);
  EXPECT_GE(PlanOf(traces, near).merge.size(), 5u);
}

TEST(ConsolidationPlanTest, OldEpisodesThatAreOftenNeededBecomeLasting) {
  TraceSketch old = SketchOf(1, "a"), young = SketchOf(2, "b"), idle = SketchOf(3, "c"),
              semantic = SketchOf(4, "d", kSemantic), duplicate = SketchOf(5, "e"),
              other = SketchOf(6, "e");
  for (TraceSketch* one : {&old, &idle, &semantic, &duplicate, &other})
    one->created_ms = kPlanNow - 30 * kPlanDay;
  for (TraceSketch* one : {&old, &young, &semantic, &duplicate, &other})
    one->strength.retrievals = 5;
  const auto plan = PlanOf({old, young, idle, semantic, duplicate, other});
  EXPECT_EQ(plan.compact, Slots{1});
  EXPECT_EQ(plan.merge, (std::vector<Slots>{{5, 6}}));
}

TEST(ConsolidationText, IsUnitedWithoutWhatAnotherContains) {
  EXPECT_EQ(UnitedText({"Tea", "tea  and milk", "Coffee"}), "tea  and milk\nCoffee");
  EXPECT_EQ(UnitedText({"same", "Same", "SAME"}), "same");
  EXPECT_EQ(UnitedText({"a b", "c d"}), "a b\nc d");
}

TEST(CoactivationWeight, ApproachesOne) {
  EXPECT_NEAR(CoactivatedWeight(0, 1), 0.1, 1e-12);
  EXPECT_NEAR(CoactivatedWeight(0.1, 1), 0.19, 1e-12);
  EXPECT_NEAR(CoactivatedWeight(0, 2), 0.19, 1e-12);
  EXPECT_LE(CoactivatedWeight(0.5, 10'000), 1);
}

}  // namespace
}  // namespace memory
