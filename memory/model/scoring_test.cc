// The ranker's arithmetic.
#include "memory/model/scoring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "memory/model/words.h"

namespace memory {
namespace {

Record Make(int64_t slot, int64_t position, std::vector<WordHit> hits) {
  static std::deque<std::vector<WordHit>> kept;  // records only point at their hits
  Record record;
  record.slot = slot;
  record.session = 1;
  record.position = position;
  record.words = 10;
  record.hits = kept.emplace_back(std::move(hits));
  return record;
}

std::vector<Scored> RankedBy(std::vector<Record> records, const Statistics& statistics,
                             bool asks_when) {
  std::vector<Scored> scored = Score(std::move(records), statistics, asks_when);
  std::sort(scored.begin(), scored.end(), RanksBefore);
  return scored;
}

Statistics Of(std::vector<double> rows_with) { return {100, 10, std::move(rows_with)}; }

TEST(Scoring, ARareWordWeighsMoreThanACommonOne) {
  auto scored = RankedBy({Make(1, 10, {{0, 1}}), Make(2, 20, {{1, 1}})}, Of({90, 2}), false);
  ASSERT_EQ(scored.size(), 2u);
  EXPECT_EQ(scored[0].slot, 2);
}

TEST(Scoring, MoreOfTheQuestionBeatsMoreOfOneWord) {
  auto scored = RankedBy({Make(1, 10, {{0, 9}}), Make(2, 20, {{0, 1}, {1, 1}})}, Of({5, 5}), false);
  EXPECT_EQ(scored[0].slot, 2);
}

TEST(Scoring, AHitIsLentToNeighboursOfTheSessionWithinThree) {
  Record other = Make(9, 11, {});
  other.session = 2;
  auto scored =
      RankedBy({Make(1, 10, {{0, 1}}), Make(2, 11, {}), Make(3, 9, {}), Make(4, 14, {}), other},
               Of({5}), false);
  ASSERT_EQ(scored.size(), 3u);
  EXPECT_EQ(scored[0].slot, 1);
  EXPECT_EQ(scored[1].slot, 2);  // after a hit weighs more than before it
  EXPECT_EQ(scored[2].slot, 3);
}

TEST(Scoring, NeighboursThatAreHoursApartLendHalf) {
  Record late = Make(2, 11, {});
  late.created_ms = 3'600'000;
  double near = RankedBy({Make(1, 10, {{0, 1}}), Make(2, 11, {})}, Of({5}), false)[1].score;
  double far = RankedBy({Make(1, 10, {{0, 1}}), late}, Of({5}), false)[1].score;
  EXPECT_LT(far, near);
}

TEST(Scoring, ATitleCountsForItsOwnRecordOnly) {
  Record titled = Make(1, 10, {{0, 0, true, false}});
  auto scored = RankedBy({titled, Make(2, 11, {})}, Of({5}), false);
  ASSERT_EQ(scored.size(), 1u);
  EXPECT_EQ(scored[0].slot, 1);
}

TEST(Scoring, TheOwnStrengthIsOfTheWordsOfTheRecordItself) {
  const std::vector<WordHit> own = {{0, 1}, {2, 3}};
  Record long_one = Make(2, 11, own);
  long_one.words = 30;
  const Statistics statistics = Of({5, 20, 2});
  const std::vector<Record> records = {Make(1, 10, {{0, 9}, {1, 2}}), long_one, Make(3, 12, {})};
  const std::vector<Scored> scored = Score(records, statistics, false);
  const std::vector<double> idf = InverseFrequencies(statistics);
  ASSERT_EQ(scored.size(), 3u);
  EXPECT_DOUBLE_EQ(scored[1].own,
                   idf[0] * OwnStrength(own[0], 3) + idf[2] * OwnStrength(own[1], 3));
  EXPECT_EQ(scored[2].own, 0);
}

TEST(Scoring, QuestionsRankBehindAnswersAndTimesAheadForWhen) {
  Record ask = Make(1, 10, {{0, 1}}), answer = Make(2, 20, {{0, 1}}), dated = Make(3, 30, {{0, 1}});
  ask.flags = kFlagQuestion;
  dated.flags = kFlagTime;
  auto scored = RankedBy({ask, answer, dated}, Of({5}), true);
  EXPECT_EQ(scored[0].slot, 3);
  EXPECT_EQ(scored[1].slot, 2);
  EXPECT_EQ(scored[2].slot, 1);
}

TEST(Scoring, TiesAreBrokenByTheNewerSlot) {
  auto scored = RankedBy({Make(7, 10, {{0, 1}}), Make(8, 20, {{0, 1}})}, Of({5}), false);
  EXPECT_EQ(scored[0].slot, 8);
}

TEST(Scoring, AWordInEveryRecordStillCounts) { EXPECT_GT(InverseFrequencies({10, 1, {10}})[0], 1); }

}  // namespace
}  // namespace memory
