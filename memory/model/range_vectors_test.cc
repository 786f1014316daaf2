// Windows and cosines of a range after random changes, compared with a direct calculation.
#include "memory/model/range_vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "memory/model/slots.h"

namespace memory {
namespace {

using Values = std::vector<int8_t>;

struct Kept {
  int64_t session, position;
  Values values;
};

double Product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> Unit(std::vector<double> values) {
  const double length = std::sqrt(Product(values, values));
  for (double& value : values) value /= length;
  return values;
}

std::vector<double> Unit(const Values& values) {
  return Unit(std::vector<double>(values.begin(), values.end()));
}

// By the formula, row by row.
std::map<int64_t, std::pair<double, double>> Expected(const std::map<int64_t, Kept>& rows,
                                                      const Values& question) {
  const std::map<int64_t, double> weights = {{-2, .4}, {-1, .7}, {0, 1}, {1, .6}, {2, .3}};
  std::map<int64_t, std::pair<double, double>> expected;
  for (const auto& [slot, row] : rows) {
    std::vector<double> window(question.size());
    for (const auto& [other_slot, other] : rows) {
      const auto weight = weights.find(other.position - row.position);
      if (other.session != row.session || weight == weights.end()) continue;
      if (weight->first == 0 && other_slot != slot) continue;
      const std::vector<double> part = Unit(other.values);
      for (size_t i = 0; i < part.size(); ++i) window[i] += weight->second * part[i];
    }
    expected[slot] = {Product(Unit(window), Unit(question)),
                      Product(Unit(row.values), Unit(question))};
  }
  return expected;
}

TEST(RangeVectors, GiveTheCosinesOfWindowsAfterAnyHistory) {
  std::mt19937 random(19);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random()) % n; };
  auto some = [&] {
    Values values(16);
    for (int8_t& value : values) value = static_cast<int8_t>(below(255) - 127);
    values[0] = 1;
    return values;
  };
  constexpr int64_t kRange = int64_t{7} << kRangeBits;
  RangeVectors vectors(7, 16);
  std::map<int64_t, Kept> rows;
  for (int step = 0; step < 300; ++step) {
    std::map<int64_t, Kept> batch;
    for (int64_t n = below(4); n > 0; --n) {
      const int64_t number = below(60);
      // A row keeps its place.
      batch[kRange | number] = {1 + number % 3, 1 + number / 3, some()};
    }
    std::vector<RangeVectors::NewRow> put;
    for (const auto& [slot, row] : batch)
      put.push_back({slot, row.session, row.position, row.values});
    vectors.Put(put);
    for (const auto& [slot, row] : batch) rows[slot] = row;
    if (const int64_t gone = kRange | below(60); step % 3 == 0) {
      vectors.Remove(gone);
      rows.erase(gone);
    }
    const Values question = some();
    std::vector<Similarity> found;
    vectors.AppendSimilarities(question, found);
    const auto expected = Expected(rows, question);
    ASSERT_EQ(found.size(), expected.size());
    auto at = expected.begin();
    for (const Similarity& row : found) {
      EXPECT_EQ(row.slot, at->first);  // in order of slots
      EXPECT_NEAR(row.window, at->second.first, 1e-5);
      EXPECT_NEAR(row.own, at->second.second, 1e-5);
      ++at;
    }
  }
}

TEST(RangeVectors, HaveNoRowWithoutADirection) {
  RangeVectors vectors(1, 2);
  const Values one = {1, 0}, zeros = {0, 0}, longer = {1, 2, 3};
  const RangeVectors::NewRow rows[] = {{1, 1, 1, zeros}, {2, 1, 2, longer}, {3, 1, 3, one}};
  vectors.Put(rows);
  EXPECT_EQ(vectors.size(), 1U);
  std::vector<Similarity> found;
  vectors.AppendSimilarities(zeros, found);
  vectors.AppendSimilarities(longer, found);
  EXPECT_TRUE(found.empty());
  vectors.AppendSimilarities(one, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FLOAT_EQ(found[0].window, 1);
  // Replaced by what has none.
  vectors.Put(std::vector<RangeVectors::NewRow>{{3, 1, 3, zeros}});
  EXPECT_EQ(vectors.size(), 0U);
}

}  // namespace
}  // namespace memory
