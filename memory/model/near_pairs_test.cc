// Compares the pairs found by hashing with the exact cosines of all pairs.
#include "memory/model/near_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace memory {
namespace {

constexpr size_t kNearDimensions = 64;

std::vector<int8_t> RandomVector(std::mt19937& random) {
  std::uniform_int_distribution<int> value(-100, 100);
  std::vector<int8_t> made(kNearDimensions);
  for (int8_t& one : made) one = static_cast<int8_t>(value(random));
  return made;
}

double Cosine(const int8_t* a, const int8_t* b) {
  double dot = 0, left = 0, right = 0;
  for (size_t i = 0; i < kNearDimensions; ++i)
    dot += a[i] * b[i], left += a[i] * a[i], right += b[i] * b[i];
  return dot / std::sqrt(left * right);
}

using Pairs = std::set<std::pair<size_t, size_t>>;
Pairs AllNearPairs(std::span<const int8_t> values, size_t dimensions) {
  Pairs found;
  NearPairs(values, dimensions, 0.95,
            {[&](size_t first, size_t second) {
               return !found.contains({first, second});
             },
             [&](size_t first, size_t second) { found.emplace(first, second); }});
  return found;
}

TEST(NearPairsTest, FindsNearlyAllAndNothingElse) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<int8_t> values;
  for (int i = 0; i < 400; ++i) {
    const auto one = RandomVector(random);
    values.insert(values.end(), one.begin(), one.end());
    std::uniform_int_distribution<int> noise(-15, 15);
    for (const int8_t value : one)
      values.push_back(static_cast<int8_t>(std::clamp(value + noise(random), -127, 127)));
  }
  const Pairs found = AllNearPairs(values, kNearDimensions);
  Pairs wanted;
  for (size_t a = 0; a < 800; ++a)
    for (size_t b = a + 1; b < 800; ++b)
      if (Cosine(&values[a * kNearDimensions], &values[b * kNearDimensions]) >= 0.95)
        wanted.emplace(a, b);
  EXPECT_GE(wanted.size(), 300u);
  EXPECT_GE(found.size(), wanted.size() * 9 / 10);
  EXPECT_TRUE(std::includes(wanted.begin(), wanted.end(), found.begin(), found.end()));
}

TEST(NearPairsTest, EqualOnesAreAlwaysFoundAndZerosNever) {
  std::vector<int8_t> values(3 * kNearDimensions, 0);
  std::fill(values.begin() + kNearDimensions, values.end(), 7);
  EXPECT_EQ(AllNearPairs(values, kNearDimensions), (Pairs{{1, 2}}));
  EXPECT_TRUE(AllNearPairs({}, kNearDimensions).empty());
  EXPECT_TRUE(AllNearPairs({}, 0).empty());
}

TEST(NearPairsTest, WhatIsNotWantedIsNotTaken) {
  const std::vector<int8_t> values(500 * kNearDimensions, 7);
  size_t asked = 0;
  NearPairs(values, kNearDimensions, 0.95,
            {[&](size_t, size_t) { return ++asked == 0; },
             [](size_t, size_t) { ADD_FAILURE() << "taken"; }});
  EXPECT_GT(asked, 500u);
}

}  // namespace
}  // namespace memory
