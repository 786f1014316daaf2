// Which indexes the budget admits and evicts.
#include "memory/ranking/resident_budget.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

class ResidentBudgetTest : public ::testing::Test {
 protected:
  using Resident = ResidentBudget::Resident;
  using Place = ResidentBudget::Place;
  void QueryOften(const Place& place, int times) {
    for (int i = 0; i < times; ++i) budget_.NoteQuery(place);
  }
  // What is let in at `place`; expired: there was no room.
  std::weak_ptr<Resident> Enter(const Place& place, size_t bytes) {
    auto resident = std::make_shared<Resident>();
    budget_.Put(place, resident);
    const bool has_room = budget_.Weigh(place, *resident, bytes);
    EXPECT_EQ(has_room, !resident->displaced());
    return resident;
  }
  ResidentBudget budget_{100};
  const uint64_t a_ = budget_.Join(), b_ = budget_.Join();
};

TEST_F(ResidentBudgetTest, MoreQueriedRangeEvictsLessQueriedAtOnce) {
  QueryOften({a_, 1}, 10);
  QueryOften({b_, 1}, 9);
  const auto first = Enter({a_, 1}, 80);
  EXPECT_TRUE(Enter({b_, 1}, 80).expired());
  ASSERT_FALSE(first.expired());
  QueryOften({b_, 1}, 3);
  const auto second = Enter({b_, 1}, 80);
  EXPECT_FALSE(second.expired());
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(budget_.Of(a_).bytes, 0u);
  EXPECT_EQ(budget_.Of(b_).bytes, 80u);
}

TEST_F(ResidentBudgetTest, EvictedIndexStaysValidWhileInUse) {
  QueryOften({b_, 1}, 4);
  const auto used = Enter({a_, 1}, 80).lock();
  ASSERT_TRUE(used);
  EXPECT_FALSE(Enter({b_, 1}, 80).expired());
  EXPECT_TRUE(used->displaced());
  // It takes no room from anybody, whatever its store says of it.
  EXPECT_FALSE(budget_.Weigh({a_, 1}, *used, 90));
  EXPECT_EQ(budget_.bytes(), 80u);
}

TEST_F(ResidentBudgetTest, NothingIsEvictedForAnIndexThatDoesNotFit) {
  QueryOften({b_, 1}, 50);
  const auto little = Enter({a_, 1}, 30), more = Enter({b_, 1}, 60);
  QueryOften({a_, 2}, 20);
  EXPECT_TRUE(Enter({a_, 2}, 90).expired());  // the 60 of one that is queried more stay
  EXPECT_FALSE(little.expired());
  EXPECT_FALSE(more.expired());
  EXPECT_TRUE(Enter({b_, 2}, 200).expired());
  EXPECT_EQ(budget_.bytes(), 90u);
}

TEST_F(ResidentBudgetTest, LeastQueriedIsEvictedFirst) {
  QueryOften({a_, 1}, 5);
  QueryOften({a_, 2}, 2);
  QueryOften({b_, 1}, 30);
  const auto more = Enter({a_, 1}, 40), less = Enter({a_, 2}, 40);
  EXPECT_FALSE(Enter({b_, 1}, 50).expired());
  EXPECT_FALSE(more.expired());
  EXPECT_TRUE(less.expired());
}

TEST_F(ResidentBudgetTest, EquallyQueriedRangesDoNotThrash) {
  int entered = 0;
  std::weak_ptr<Resident> in_a, in_b;
  for (int i = 0; i < 20'000; ++i) {
    // Each a few times in a row, so that each is ahead for a while.
    const bool turn = i / 5 % 2;
    const Place place{turn ? a_ : b_, 1};
    std::weak_ptr<Resident>& in = turn ? in_a : in_b;
    if (budget_.NoteQuery(place); i < 100 || !in.expired()) continue;
    in = Enter(place, 80);
    entered += !in.expired();
  }
  EXPECT_EQ(entered, 1);
}

TEST_F(ResidentBudgetTest, OldQueryCountsDecay) {
  QueryOften({a_, 1}, 2000);
  const auto old = Enter({a_, 1}, 80);
  QueryOften({b_, 1}, 1000);
  EXPECT_TRUE(Enter({b_, 1}, 80).expired());
  QueryOften({b_, 1}, 4000);
  EXPECT_FALSE(Enter({b_, 1}, 80).expired());
  EXPECT_TRUE(old.expired());
}

TEST_F(ResidentBudgetTest, ClosedStoreReleasesItsMemory) {
  const auto one = Enter({a_, 1}, 40), other = Enter({b_, 1}, 40);
  budget_.Leave(a_);
  EXPECT_TRUE(one.expired());
  EXPECT_FALSE(other.expired());
  EXPECT_EQ(budget_.bytes(), 40u);
  EXPECT_FALSE(Enter({b_, 2}, 60).expired());
}

}  // namespace
}  // namespace memory
