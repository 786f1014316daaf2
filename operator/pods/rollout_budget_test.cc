// The slots of rollouts: their number, order and expiry.
#include "operator/pods/rollout_budget.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

TEST(RolloutBudget, LimitsSlotsAndNamesTheNextWaiter) {
  RolloutBudget budget(2);
  const kube::ObjectKey a{"n", "a"}, b{"n", "b"}, c{"n", "c"}, d{"n", "d"};
  EXPECT_EQ(budget.Acquire(a, 0), 0);
  EXPECT_EQ(budget.Acquire(a, 1), 1) << "it has its place";
  EXPECT_TRUE(budget.Acquire(b, 2));
  EXPECT_FALSE(budget.Acquire(c, 3));
  EXPECT_FALSE(budget.Acquire(d, 4));
  EXPECT_FALSE(budget.Release(c)) << "it had none";
  const auto next = budget.Release(a);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->name, "d") << "c does not wait any more";
  EXPECT_TRUE(budget.Acquire(d, 5));
  EXPECT_FALSE(budget.Acquire(a, 6));
  EXPECT_TRUE(budget.Acquire(a, RolloutBudget::kLongestMs + 2)) << "b never gave its place back";
}

}  // namespace
}  // namespace controller
