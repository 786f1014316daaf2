// Tests that grants never exceed a budget, that small charges have a reserve, and that all bytes
// are returned.
#include "lib/base/limits/byte_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace base {
namespace {

constexpr size_t kMiB = 1 << 20;

TEST(ByteBudget, GrantsUpToLimitAndReclaims) {
  ByteBudget budget(16 * kMiB);
  {
    ByteCharge first(&budget), second(&budget);
    EXPECT_TRUE(first.TrySet(10 * kMiB));
    EXPECT_FALSE(second.TrySet(6 * kMiB)) << "the last MiB is for small ones";
    EXPECT_EQ(second.bytes(), 0u);
    EXPECT_TRUE(second.TrySet(5 * kMiB));
    EXPECT_FALSE(second.TryAdd(1)) << "it is a large one";
    EXPECT_TRUE(first.TrySet(kMiB)) << "less is always granted";
    EXPECT_TRUE(second.TryAdd(9 * kMiB));
    EXPECT_EQ(budget.used(), 15 * kMiB);
  }
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(budget.highest(), 15 * kMiB);
}

TEST(ByteBudget, SmallChargesHaveAReserve) {
  ByteBudget budget(16 * kMiB);
  ByteCharge large(&budget);
  ASSERT_TRUE(large.TrySet(budget.largest()));
  std::vector<ByteCharge> small;
  size_t granted = 0;
  for (int i = 0; i < 100; ++i) {
    granted += small.emplace_back(&budget).TrySet(ByteBudget::kSmallBytes) ? 1 : 0;
  }
  EXPECT_EQ(granted, kMiB / ByteBudget::kSmallBytes);
  EXPECT_LE(budget.used(), budget.limit());
}

TEST(ByteBudget, KnowsChargeThatNeverFits) {
  const ByteBudget budget(16 * kMiB);
  EXPECT_TRUE(budget.CanEverGrant(15 * kMiB));
  EXPECT_FALSE(budget.CanEverGrant(15 * kMiB + 1));
  const ByteBudget tiny(40 << 10);
  EXPECT_TRUE(tiny.CanEverGrant(40 << 10)) << "a small one may have all of it";
  EXPECT_FALSE(tiny.CanEverGrant(41 << 10));
}

TEST(ByteBudget, ForcedChargeExceedsLimitAndBlocksOthers) {
  ByteBudget budget(kMiB);
  ByteCharge answer(&budget);
  answer.Set(3 * kMiB);
  ByteCharge small(&budget);
  EXPECT_FALSE(small.TrySet(1));
  answer.Set(0);
  EXPECT_TRUE(small.TrySet(1));
  EXPECT_EQ(budget.highest(), 3 * kMiB);
}

TEST(ByteBudget, ChargeMovesWithItsHolder) {
  ByteBudget budget(kMiB);
  ByteCharge kept(&budget);
  ASSERT_TRUE(kept.TrySet(1'000));
  {
    ByteCharge request(&budget);
    ASSERT_TRUE(request.TrySet(2'000));
    kept = std::move(request);
    EXPECT_EQ(budget.used(), 2'000u) << "what it had before is given back";
  }
  EXPECT_EQ(budget.used(), 2'000u);
  kept = ByteCharge();
  EXPECT_EQ(budget.used(), 0u);
}

TEST(ByteBudget, ThreadsNeverExceedTheLimit) {
  ByteBudget budget(16 * kMiB);
  std::atomic<size_t> granted = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int round = 0; round < 2'000; ++round) {
          ByteCharge charge(&budget);
          if (!charge.TrySet(4 * kMiB)) continue;
          ++granted;
          charge.TryAdd(kMiB);
        }
      });
    }
  }
  EXPECT_GT(granted, 0u);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_LE(budget.highest(), budget.largest());
}

TEST(ByteBudget, WithoutBudgetEverythingIsGranted) {
  ByteCharge charge;
  EXPECT_TRUE(charge.TrySet(SIZE_MAX / 2));
}

}  // namespace
}  // namespace base
