// One action per interval for all callers, and bursts after a pause.
#include "operator/reconcile/rate_limiter.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

TEST(RateLimiter, GrantsOnePerInterval) {
  RateLimiter limiter(10);
  EXPECT_EQ(limiter.Acquire(100'000), 0);
  EXPECT_EQ(limiter.Acquire(102'000), 4'000);
  EXPECT_EQ(limiter.Acquire(106'000), 0);
  EXPECT_EQ(limiter.Acquire(106'000), 6'000);
}

TEST(RateLimiter, GrantsABurstAfterAPause) {
  RateLimiter limiter(10, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.Acquire(100'000), 0);
  EXPECT_EQ(limiter.Acquire(100'000), 6'000);
  EXPECT_EQ(limiter.Acquire(106'000), 0);
  EXPECT_EQ(limiter.Acquire(106'000), 6'000);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.Acquire(1'000'000), 0) << "no more than a burst";
  EXPECT_EQ(limiter.Acquire(1'000'000), 6'000);
}

TEST(RateLimiter, UnusedGrantIsReturned) {
  RateLimiter limiter(10);
  EXPECT_EQ(limiter.Acquire(100'000), 0);
  limiter.GiveBack();
  EXPECT_EQ(limiter.Acquire(100'000), 0);
  EXPECT_EQ(limiter.Acquire(100'000), 6'000);
}

}  // namespace
}  // namespace controller
