// One a stretch of time, whoever asks.
#include "operator/foreign_pods/rate_limiter.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

TEST(Pace, GivesOneEachInterval) {
  Pace pace(10);
  EXPECT_EQ(pace.Take(100'000), 0);
  EXPECT_EQ(pace.Take(102'000), 4'000);
  EXPECT_EQ(pace.Take(106'000), 0);
  EXPECT_EQ(pace.Take(106'000), 6'000);
}

TEST(Pace, WhatWasNotUsedIsGivenBack) {
  Pace pace(10);
  EXPECT_EQ(pace.Take(100'000), 0);
  pace.GiveBack();
  EXPECT_EQ(pace.Take(100'000), 0);
  EXPECT_EQ(pace.Take(100'000), 6'000);
}

}  // namespace
}  // namespace controller
