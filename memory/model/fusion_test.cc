// The fusion of scores of words and of meaning.
#include "memory/model/fusion.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace memory {
namespace {

constexpr Admission kAdmission = Admission::kWindow;

std::vector<Ranked> Sorted(std::vector<Ranked> rows) {
  std::sort(rows.begin(), rows.end(), IsRankedBefore);
  return rows;
}

TEST(Fusion, LeavesTheWordsAloneWithoutVectors) {
  const std::vector<Scored> lexical = {{1, 3}, {2, 5}};
  const std::vector<Ranked> rows = Sorted(Fuse(lexical, {}, {}, kAdmission, 10, 10));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].slot, 2);
  EXPECT_EQ(rows[0].score, 5);
  EXPECT_EQ(rows[0].method, Method::kLexical);
  EXPECT_FALSE(rows[0].similarity);
}

TEST(Fusion, AddsSharesOfBothScores) {
  // Mean .25, so n = (d - .25) / .75.
  const std::vector<Similarity> near = {{1, 1, 0}, {2, 0.25F, 0}, {3, -0.5F, 0}, {4, 0.25F, 0}};
  const std::vector<Scored> lexical = {{2, 4}, {3, 1}};
  const std::vector<Ranked> rows =
      Sorted(Fuse(lexical, near, {0.25, false, -1}, kAdmission, 10, 10));
  ASSERT_EQ(rows.size(), 3U);  // 4 is no nearer than the mean
  EXPECT_EQ(rows[0].slot, 2);
  EXPECT_DOUBLE_EQ(rows[0].score, 0.75);
  EXPECT_EQ(rows[0].lexical, 4);
  EXPECT_FLOAT_EQ(*rows[0].similarity, 0.25F);
  EXPECT_EQ(rows[1].slot, 1);
  EXPECT_DOUBLE_EQ(rows[1].score, 0.25);
  EXPECT_EQ(rows[1].lexical, 0);
  EXPECT_EQ(rows[2].slot, 3);
  EXPECT_DOUBLE_EQ(rows[2].score, 0.75 / 4);  // below the mean takes nothing away
}

TEST(Fusion, CountsTheRowAloneBesideItsWindowWhereAsked) {
  const std::vector<Similarity> near = {{1, 1, 0}, {2, 0, 1}, {3, -1, -1}};
  const std::vector<Ranked> rows = Sorted(Fuse({}, near, {0.5, true, -1}, kAdmission, 10, 10));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_DOUBLE_EQ(rows[0].score, 0.5);
  EXPECT_DOUBLE_EQ(rows[1].score, 0.5);
  EXPECT_EQ(rows[0].slot, 2);  // the newer
}

TEST(Fusion, TakesTheNearestRowsWithoutAWordFromTheFloorOn) {
  std::vector<Similarity> near;
  for (int64_t slot = 1; slot <= 9; ++slot)
    near.push_back({slot, 0.1F * static_cast<float>(slot), 0});
  std::vector<Ranked> rows = Sorted(Fuse({}, near, {0.25, false, 0.65F}, kAdmission, 10, 10));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].slot, 9);
  EXPECT_EQ(rows[2].slot, 7);
  rows = Sorted(Fuse({}, near, {0.25, false, 0}, kAdmission, 2, 10));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].slot, 8);
}

TEST(Fusion, ScoresARowWithoutAVectorByItsWords) {
  const std::vector<Similarity> near = {{1, 0.9F, 0}, {3, 0.1F, 0}};
  const std::vector<Scored> lexical = {{2, 2}, {3, 2}};
  const std::vector<Ranked> rows = Sorted(Fuse(lexical, near, {}, kAdmission, 10, 10));
  EXPECT_EQ(rows[0].slot, 3);
  EXPECT_EQ(rows[1].slot, 2);
  EXPECT_EQ(rows[0].score, rows[1].score);
  EXPECT_FALSE(rows[1].similarity);
  EXPECT_EQ(rows[1].method, Method::kLexical);
}

TEST(Fusion, NamesWhatRanksARowInTheAnswer) {
  // By words: 1, 2; by meaning: 2, 3; 4 is in neither and needs both.
  const std::vector<Similarity> near = {{1, -0.5F, 0}, {2, 0.9F, 0}, {3, 0.8F, 0}, {4, 0.7F, 0}};
  const std::vector<Scored> lexical = {{1, 9}, {2, 8}, {4, 7}};
  std::vector<Ranked> rows = Fuse(lexical, near, {}, kAdmission, 10, 2);
  std::sort(rows.begin(), rows.end(),
            [](const Ranked& a, const Ranked& b) { return a.slot < b.slot; });
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].method, Method::kLexical);
  EXPECT_EQ(rows[1].method, Method::kFused);
  EXPECT_EQ(rows[2].method, Method::kEmbedding);
  EXPECT_EQ(rows[3].method, Method::kFused);
}

TEST(Fusion, FindsRowsThatAreAllAsNear) {
  const std::vector<Similarity> near = {{1, 0.5F, 0}, {2, 0.5F, 0}};
  const std::vector<Ranked> rows =
      Sorted(Fuse(std::vector<Scored>{{1, 1}}, near, {}, kAdmission, 10, 10));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_DOUBLE_EQ(rows[0].score, 1);
  EXPECT_DOUBLE_EQ(rows[1].score, 0.25);
}

}  // namespace
}  // namespace memory
