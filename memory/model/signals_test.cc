// Each signal orders two rows that are alike in all others.
#include "memory/model/signals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace memory {
namespace {

constexpr WordHit kOneHit{0, 1};
constexpr int64_t kFarApart = 100;  // positions, so that no row is beside another

// What a ranking is made of. Rows 1 and 2 are alike; row 9 is the best of each kind.
struct SignalCase {
  std::vector<Record> records;
  std::vector<double> soft;
  std::vector<Scored> lexical;
  std::vector<Similarity> near;
  std::vector<int64_t> others;
  Question question;
  size_t limit = 10;
  std::function<void(const std::vector<bool>& wanted)> on_soft = nullptr;

  SignalCase() {
    for (const int64_t slot : {1, 2, 9}) {
      Record& record = records.emplace_back();
      record.slot = slot;
      record.session = 1;
      record.position = kFarApart * slot;
      record.words = 10;
      const bool best = slot == 9;
      soft.push_back(best ? 4 : 1);
      lexical.push_back({slot, best ? 8.0 : 2.0, best ? 8.0 : 1.0, best ? 1.0 : 0.4});
      near.push_back({slot, best ? 0.9F : 0.4F, best ? 0.9F : 0.4F});
    }
    near.push_back({10, -0.5F, -0.5F});  // a row that only the mean needs
  }
  // Puts a row right before row `at`, in its session.
  void PutBefore(size_t at, int64_t slot, int64_t flags) {
    Record record = records[at];
    record.slot = slot;
    record.flags = flags;
    --record.position;
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(at), record);
    soft.insert(soft.begin() + static_cast<std::ptrdiff_t>(at), 1);
    lexical.insert(lexical.begin() + static_cast<std::ptrdiff_t>(at), {slot, 2, 1, 0.4});
  }
  std::vector<Ranked> Rank() const {
    std::vector<Ranked> ranked = RankBySignals({records, lexical, near, others, question}, limit,
                                               [this](const std::vector<bool>& wanted) {
                                                 if (on_soft) on_soft(wanted);
                                                 std::vector<double> matches = soft;
                                                 for (size_t i = 0; i < matches.size(); ++i)
                                                   if (!wanted[i]) matches[i] = 0;
                                                 return matches;
                                               });
    std::sort(ranked.begin(), ranked.end(), IsRankedBefore);
    return ranked;
  }
  double ScoreOf(int64_t slot) const {
    for (const Ranked& row : Rank())
      if (row.slot == slot) return row.score;
    ADD_FAILURE() << "row " << slot << " is not ranked";
    return 0;
  }
};

TEST(Signals, RowsThatAreAlikeHaveOneScore) {
  const SignalCase same;
  EXPECT_DOUBLE_EQ(same.ScoreOf(1), same.ScoreOf(2));
  for (const Ranked& row : same.Rank()) {
    EXPECT_GT(row.score, 0);
    EXPECT_LE(row.score, 1);
  }
}

TEST(Signals, EachOrdersRowsThatAreAlikeOtherwise) {
  const std::pair<const char*, std::function<void(SignalCase&)>> raised[] = {
      {"lexical", [](SignalCase& one) { one.lexical[0].score = 3; }},
      {"own words", [](SignalCase& one) { one.lexical[0].own = 2; }},
      {"covered", [](SignalCase& one) { one.lexical[0].covered = 0.6; }},
      {"window", [](SignalCase& one) { one.near[0].window = 0.6F; }},
      {"own meaning", [](SignalCase& one) { one.near[0].own = 0.6F; }},
      {"soft", [](SignalCase& one) { one.soft[0] = 3; }},
      {"session",
       [](SignalCase& one) {
         one.records[1].session = 2;  // without the best row
         std::swap(one.records[1], one.records[2]);
         std::swap(one.soft[1], one.soft[2]);
         std::swap(one.lexical[1], one.lexical[2]);
       }},
      {"time, of when",
       [](SignalCase& one) {
         one.question.asks_when = true;
         one.records[0].flags = kFlagTime;
       }},
      {"number, of how many",
       [](SignalCase& one) {
         one.question.asks_how_many = true;
         one.records[0].flags = kFlagNumber;
       }},
      {"the other has but a word",
       [](SignalCase& one) {
         one.records[1].hits = {&kOneHit, 1};
       }},
      {"the other asks", [](SignalCase& one) { one.records[1].flags = kFlagQuestion | kFlagAsks; }},
      {"the other asks among others", [](SignalCase& one) { one.records[1].flags = kFlagAsks; }},
  };
  for (const auto& [name, raise] : raised) {
    SignalCase one;
    raise(one);
    EXPECT_GT(one.ScoreOf(1), one.ScoreOf(2)) << name;
  }
}

TEST(Signals, ANumberOrATimeCountsOnlyWhereItIsAskedFor) {
  SignalCase one;
  one.records[0].flags = kFlagTime | kFlagNumber;
  EXPECT_DOUBLE_EQ(one.ScoreOf(1), one.ScoreOf(2));
}

TEST(Signals, ARowRightAfterANearQuestionIsItsAnswer) {
  SignalCase one;
  one.PutBefore(0, 3, kFlagQuestion | kFlagAsks);
  one.near.insert(one.near.begin() + 2, {3, 0.4F, 0.6F});
  EXPECT_GT(one.ScoreOf(1), one.ScoreOf(2));
  const double answer = one.ScoreOf(1);
  one.records[0].flags = 0;  // it asks nothing
  EXPECT_DOUBLE_EQ(one.ScoreOf(1), one.ScoreOf(2));
  one.records[0].flags = kFlagQuestion | kFlagAsks;
  one.records[0].created_ms = -3'600'000;  // asked an hour before
  EXPECT_LT(one.ScoreOf(1), answer);
  --one.records[0].position;  // not right before it
  EXPECT_DOUBLE_EQ(one.ScoreOf(1), one.ScoreOf(2));
}

TEST(Signals, OnlyRowsWithAWordOrAmongTheOthersAreRanked) {
  SignalCase one;
  one.lexical.erase(one.lexical.begin());  // of row 1
  EXPECT_EQ(one.Rank().size(), 2U);
  one.others = {1};
  const std::vector<Ranked> ranked = one.Rank();
  ASSERT_EQ(ranked.size(), 3U);
  const auto row =
      std::find_if(ranked.begin(), ranked.end(), [](const Ranked& r) { return r.slot == 1; });
  EXPECT_EQ(row->lexical, 0);
  EXPECT_FLOAT_EQ(*row->similarity, 0.4F);
}

TEST(Signals, AMissingVectorOrWordTakesNothing) {
  SignalCase one;
  one.near.clear();
  one.lexical.clear();
  one.others = {1, 2, 9};
  const std::vector<Ranked> ranked = one.Rank();
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(ranked[0].slot, 9);  // by the soft match
  EXPECT_FALSE(ranked[0].similarity);
  const auto none = [](const std::vector<bool>&) { return std::vector<double>(); };
  EXPECT_TRUE(RankBySignals({{}, {}, {}, {}, one.question}, 10, none).empty());
}

TEST(Signals, EachRowHasTheSimilarityOfItsSlotWhateverGapsAreBeforeIt) {
  SignalCase one;
  one.lexical.clear();
  one.near.clear();
  for (const int64_t slot : {2, 3, 5, 6, 9, 12})
    one.near.push_back({slot, 0.01F * static_cast<float>(slot), 0});
  const Record record = one.records[0];
  one.records.clear();
  for (int64_t slot = 1; slot <= 14; ++slot) {
    one.others.push_back(slot);
    one.records.push_back(record);
    one.records.back().slot = slot;
    one.records.back().position = kFarApart * slot;
  }
  one.soft.assign(one.records.size(), 1);
  const std::vector<Ranked> ranked = one.Rank();
  ASSERT_EQ(ranked.size(), 14U);
  for (const Ranked& row : ranked) {
    const auto near = std::find_if(one.near.begin(), one.near.end(),
                                   [&](const Similarity& of) { return of.slot == row.slot; });
    ASSERT_EQ(row.similarity.has_value(), near != one.near.end()) << row.slot;
    if (row.similarity) EXPECT_FLOAT_EQ(*row.similarity, near->window) << row.slot;
  }
}

TEST(Signals, AMeaningIsTheShareOfTheWayFromTheMeanToTheBest) {
  SignalCase one;
  one.soft = {3.5, 1, 4.5};  // mean 3
  one.lexical = {};          // a session's best row is that of its window
  one.others = {1, 2, 9};
  one.near = {{1, 0.5F, 0.5F}, {2, 0, 0}, {9, 1, 1}, {10, -0.5F, -0.5F}};  // mean .25
  one.records[2].session = 2;
  const std::vector<Ranked> ranked = one.Rank();
  ASSERT_EQ(ranked.size(), 3U);
  const auto signals = [&](int64_t slot) {
    return *std::find_if(ranked.begin(), ranked.end(), [&](const Ranked& row) {
              return row.slot == slot;
            })->signals;
  };
  EXPECT_FLOAT_EQ(signals(1).soft, 1.0F / 3);
  EXPECT_EQ(signals(2).soft, 0);  // below the mean
  EXPECT_FLOAT_EQ(signals(9).soft, 1);
  EXPECT_FLOAT_EQ(signals(1).session, 1.0F / 3);
}

TEST(Signals, AnAnswerHasTheShareOfItsQuestionsOwnMeaning) {
  SignalCase one;
  one.PutBefore(0, 3, kFlagQuestion | kFlagAsks);
  one.near = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0.5F}, {9, 1, 1}};  // mean of the own ones .375
  for (const Ranked& row : one.Rank()) {
    if (row.slot == 1) EXPECT_FLOAT_EQ(row.signals->answer, 0.2F);
  }
}

TEST(Signals, OnlyTheBestRowsWithoutItHaveASoftMatch) {
  SignalCase one;
  for (int64_t slot = 20; slot < 60; ++slot) {
    Record& record = one.records.emplace_back(one.records[0]);
    record.slot = slot;
    record.position = kFarApart * slot;
    one.soft.push_back(1);
    one.lexical.push_back({slot, 2, 1, 0.4});
  }
  one.soft.back() = 4;
  one.lexical.back().score = 0.1;
  size_t wanted = 0;
  one.on_soft = [&](const std::vector<bool>& rows) {
    wanted = static_cast<size_t>(std::count(rows.begin(), rows.end(), true));
  };
  const std::vector<Ranked> ranked = one.Rank();
  EXPECT_EQ(wanted, 32U);
  EXPECT_EQ(ranked.size(), one.records.size());
  EXPECT_EQ(ranked.back().slot, 59);
  ASSERT_TRUE(ranked.back().signals);
  EXPECT_EQ(ranked.back().signals->soft, 0);
}

TEST(Signals, TheBestRowOfAllHasAllOfEachPart) {
  const std::vector<Ranked> ranked = SignalCase().Rank();
  ASSERT_EQ(ranked[0].slot, 9);
  ASSERT_TRUE(ranked[0].signals);
  EXPECT_FLOAT_EQ(ranked[0].signals->soft, 1);
  EXPECT_FLOAT_EQ(ranked[0].signals->session, 1);
  EXPECT_FLOAT_EQ(ranked[0].signals->answer, 0);
}

}  // namespace
}  // namespace memory
