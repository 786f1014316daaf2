// Shows the order of eviction, when the file's size counts, and that rows without a limit stay.
#include "sidecar/growth/growth_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace sidecar {
namespace {

constexpr int64_t kDayMs = 24 * 3'600'000;
constexpr GrowthLimits kAll = {.answers_ms = kDayMs,
                               .injections_ms = 90 * kDayMs,
                               .conversations_ms = 90 * kDayMs,
                               .audit_ms = 90 * kDayMs,
                               .max_bytes = 1'000};

// The cuts of a whole round over a file with these bytes of each kind, all of them young; a piece
// removes ten bytes.
std::vector<std::string> Round(const GrowthLimits& limits, int64_t others,
                               std::map<EvictionClass, int64_t> bytes) {
  GrowthPlan plan(limits, 100 * kDayMs, 100 * kDayMs);
  std::vector<std::string> went;
  while (true) {
    int64_t used = others;
    for (const auto& [kind, size] : bytes) used += size;
    const auto cut = plan.Next(used);
    if (!cut) return went;
    int64_t& left = bytes[cut->kind];
    if (cut->reason == Cut::Reason::kAge || left == 0) {
      plan.SetExhausted(*cut);
      continue;
    }
    left -= 10;
    if (went.empty() || went.back() != NameOf(cut->kind)) went.push_back(NameOf(cut->kind));
  }
}

std::map<EvictionClass, int64_t> Each(int64_t bytes) {
  std::map<EvictionClass, int64_t> all;
  for (const EvictionClass kind : kEvictionOrder) all[kind] = bytes;
  return all;
}

TEST(GrowthPlan, EvictionBySizeFollowsOrderOfKinds) {
  using Names = std::vector<std::string>;
  const struct {
    const char* what;
    int64_t others, each;
    Names went;
  } cases[] = {
      {"at the limit nothing goes", 400, 100, {}},
      {"a byte above it goes down to nine tenths", 401, 100, {"answers", "injections"}},
      {"where others take more", 600, 100, {"answers", "injections", "ledgers"}},
      {"more still", 700, 100, {"answers", "injections", "ledgers", "conversations"}},
      {"read audit rows", 800, 100, {"answers", "injections", "ledgers", "conversations", "audit"}},
      {"messages of what stays are the last",
       850,
       100,
       {"answers", "injections", "ledgers", "conversations", "audit", "messages"}},
      {"what may not go ends the round too",
       2'000,
       100,
       {"answers", "injections", "ledgers", "conversations", "audit", "messages"}},
      {"kinds without rows are passed by", 2'000, 0, {}},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    EXPECT_EQ(Round(kAll, one.others, Each(one.each)), one.went);
  }
}

TEST(GrowthPlan, KindWithoutLimitIsNeverEvicted) {
  GrowthLimits limits = kAll;
  limits.answers_ms = limits.conversations_ms = 0;
  EXPECT_EQ(Round(limits, 2'000, Each(100)), (std::vector<std::string>{"injections", "audit"}));
  limits = kAll;
  limits.max_bytes = 0;
  EXPECT_EQ(Round(limits, int64_t{1} << 40, Each(100)), std::vector<std::string>());
}

TEST(GrowthPlan, AgePrecedesSizeOncePerKind) {
  GrowthPlan plan(kAll, 100 * kDayMs, 101 * kDayMs);
  std::vector<std::string> order;
  for (auto cut = plan.Next(0); cut; cut = plan.Next(0)) {
    EXPECT_EQ(cut->reason, Cut::Reason::kAge);
    EXPECT_EQ(cut->before_ms, cut->kind == EvictionClass::kAnswers ? 99 * kDayMs : 10 * kDayMs);
    order.push_back(NameOf(cut->kind));
    plan.SetExhausted(*cut);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"answers", "injections", "ledgers", "conversations",
                                             "audit", "messages"}));
  const auto cut = plan.Next(1'001);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->reason, Cut::Reason::kShare);
  EXPECT_EQ(cut->before_ms, 101 * kDayMs - 3'600'000);
}

TEST(GrowthPlan, LimitIsAShareOfTheVolume) {
  constexpr int64_t kGi = int64_t{1} << 30;
  EXPECT_EQ(StateLimit(0, kGi), kGi / 2);
  EXPECT_EQ(StateLimit(0, 500 * kGi), 4 * kGi) << "the disk of a node";
  EXPECT_EQ(StateLimit(0, 0), 4 * kGi) << "a volume that does not say";
  EXPECT_EQ(StateLimit(300, kGi), 300);
  EXPECT_EQ(StateLimit(5 * kGi, kGi), 5 * kGi) << "what is said goes over the default";
}

}  // namespace
}  // namespace sidecar
