// The budgets of writes, by a clock that is moved by hand.
#include "memory/api/write_budgets.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_clock.h"

namespace memory {
namespace {

TEST(WriteBudgets, BurstIsAllowedThenTheRateApplies) {
  ::testing::FakeClock clock;
  WriteBudgets budgets({1200, 6000}, clock);
  for (int i = 0; i < 6000; ++i) ASSERT_EQ(budgets.Consume("a"), 0) << i;
  EXPECT_EQ(budgets.Consume("a"), 50);  // 20 a second
  clock.Advance(49);
  EXPECT_GT(budgets.Consume("a"), 0);
  clock.Advance(1);
  EXPECT_EQ(budgets.Consume("a"), 0);
  int taken = 0;
  for (int second = 0; second < 60; ++second) {
    clock.Advance(1000);
    while (budgets.Consume("a") == 0) ++taken;
  }
  EXPECT_EQ(taken, 1200);
}

TEST(WriteBudgets, IdleBudgetRefillsToTheBurstOnly) {
  ::testing::FakeClock clock;
  WriteBudgets budgets({60, 3}, clock);
  while (budgets.Consume("a") == 0) continue;
  clock.Advance(24 * 3'600'000);
  int taken = 0;
  while (budgets.Consume("a") == 0) ++taken;
  EXPECT_EQ(taken, 3);
}

TEST(WriteBudgets, RefusalConsumesNoBudget) {
  ::testing::FakeClock clock;
  WriteBudgets budgets({60, 1}, clock);
  ASSERT_EQ(budgets.Consume("a"), 0);
  for (int i = 0; i < 1000; ++i) ASSERT_GT(budgets.Consume("a"), 0);
  clock.Advance(1000);
  EXPECT_EQ(budgets.Consume("a"), 0);
}

TEST(WriteBudgets, BudgetsAreIndependent) {
  ::testing::FakeClock clock;
  WriteBudgets budgets({60, 1}, clock);
  EXPECT_EQ(budgets.Consume("a"), 0);
  EXPECT_EQ(budgets.Consume("b"), 0);
  EXPECT_GT(budgets.Consume("a"), 0);
}

TEST(WriteBudgets, RateOfZeroIsUnlimited) {
  ::testing::FakeClock clock;
  WriteBudgets budgets({0, 1}, clock);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(budgets.Consume("a"), 0);
}

TEST(WriteBudgets, LeastRecentlyUsedBudgetIsEvicted) {
  ::testing::FakeClock clock;
  WriteBudgets budgets({1, 1}, clock, 2);
  for (const char* agent : {"a", "b"}) ASSERT_EQ(budgets.Consume(agent), 0);
  ASSERT_GT(budgets.Consume("a"), 0);
  ASSERT_EQ(budgets.Consume("c"), 0);  // in place of b
  EXPECT_GT(budgets.Consume("a"), 0);
  EXPECT_EQ(budgets.Consume("b"), 0);
}

}  // namespace
}  // namespace memory
