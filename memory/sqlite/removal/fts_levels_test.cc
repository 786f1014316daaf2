// The structure record of an FTS5 index.
#include "memory/sqlite/removal/fts_levels.h"

#include <gtest/gtest.h>

#include <string>

namespace memory {
namespace {

using namespace std::string_literals;

TEST(FtsLevels, ValidRecordIsParsedAndCutOneRefused) {
  // Two levels: none merging, none; none merging, one segment of pages 1 to 300.
  const std::string record = "\0\0\0\1"s + "\2\1\5"s + "\0\0"s + "\0\1\7\1\x82\x2C"s;
  auto levels = ReadFtsLevels(record);
  ASSERT_TRUE(levels) << levels.error().message;
  ASSERT_EQ(levels->size(), 2u);
  EXPECT_EQ((*levels)[0].segments, 0);
  EXPECT_EQ((*levels)[1].segments, 1);
  EXPECT_EQ((*levels)[1].pages, 300);
  for (size_t cut = 0; cut < record.size(); ++cut)
    EXPECT_FALSE(ReadFtsLevels(record.substr(0, cut))) << cut;
  EXPECT_FALSE(ReadFtsLevels("\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1\1"s));
}

TEST(FtsLevels, LaterRecordFormatIsParsed) {
  const std::string record = "\0\0\0\1\xFF\0\0\1"s + "\1\1\5"s + "\0\1\7\1\x05"s + "\0\0\0\0\0"s;
  auto levels = ReadFtsLevels(record);
  ASSERT_TRUE(levels) << levels.error().message;
  EXPECT_EQ((*levels)[0].pages, 5);
}

TEST(FtsLevels, SmallIndexIsRebuiltAndLargeOneMerged) {
  EXPECT_EQ(ErasureOf({}), FtsErasure::kNothing);
  EXPECT_EQ(ErasureOf({{0, 0}, {0, 0}}), FtsErasure::kNothing);
  EXPECT_EQ(ErasureOf({{3, 4}, {1, 60}}), FtsErasure::kRebuild);
  EXPECT_EQ(ErasureOf({{3, 5}, {1, 60}}), FtsErasure::kMerge);
  FtsLevels many(1000);
  many.back() = {1, 9000};
  EXPECT_EQ(ErasureOf(many), FtsErasure::kRebuild);
  many.pop_back();
  many.back() = {1, 9000};
  EXPECT_EQ(ErasureOf(many), FtsErasure::kMerge);
}

TEST(FtsLevels, MergeDropsTombstonesOnlyInTheLastLevel) {
  EXPECT_TRUE(OldestIsLast({{2, 2}, {0, 0}, {1, 900}}));
  EXPECT_FALSE(OldestIsLast({{0, 0}, {1, 900}, {0, 0}}));
}

}  // namespace
}  // namespace memory
