// One action per interval, for all callers.
#include "operator/reconcile/rate_limiter.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

TEST(RateLimiter, GivesOneEachInterval) {
  RateLimiter limiter(10);
  EXPECT_EQ(limiter.Take(100'000), 0);
  EXPECT_EQ(limiter.Take(102'000), 4'000);
  EXPECT_EQ(limiter.Take(106'000), 0);
  EXPECT_EQ(limiter.Take(106'000), 6'000);
}

TEST(RateLimiter, WhatWasNotUsedIsGivenBack) {
  RateLimiter limiter(10);
  EXPECT_EQ(limiter.Take(100'000), 0);
  limiter.GiveBack();
  EXPECT_EQ(limiter.Take(100'000), 0);
  EXPECT_EQ(limiter.Take(100'000), 6'000);
}

}  // namespace
}  // namespace controller
