// The queue of turns: its owners take turns, and each has a share of it.
#include <set>

#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class TurnsTest : public StoreTest {
 protected:
  base::Result<TurnAccepted> Accept(const std::string& user, int number,
                                    const std::string& project = "p") {
    Turn turn;
    turn.context.project = project;
    turn.context.user = user;
    turn.user = user + " says " + std::to_string(number);
    return store_->turns().Accept(turn, RequestKey(std::string()));
  }
  std::string FinishNext() {
    const auto next = store_->turns().Next();
    EXPECT_TRUE(next && *next);
    if (!next || !*next) return "";
    EXPECT_TRUE(store_->turns().Finish(**next, base::Json::array(), 1'000'000));
    return (*next)->turn.user;
  }
};

TEST_F(TurnsTest, OwnersTakeTurnsInAFairOrder) {
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(Accept("ann", i));
  ASSERT_TRUE(Accept("bob", 0));
  ASSERT_TRUE(Accept("carl", 0, "q"));
  ASSERT_TRUE(Accept("bob", 1));
  std::vector<std::string> first;
  for (int i = 0; i < 4; ++i) first.push_back(FinishNext());
  EXPECT_EQ(std::count(first.begin(), first.end(), "bob says 0"), 1);
  EXPECT_EQ(std::count(first.begin(), first.end(), "carl says 0"), 1);
  first.push_back(FinishNext());
  EXPECT_EQ(std::count(first.begin(), first.end(), "bob says 1"), 1);
  // In order for each owner.
  EXPECT_EQ(FinishNext(), "ann says 2");
  EXPECT_EQ(FinishNext(), "ann says 3");
}

TEST_F(TurnsTest, FailedTurnIsRetriedAfterOthersOfItsOwner) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Accept("ann", i));
  const auto next = store_->turns().Next();
  ASSERT_TRUE(next && *next);
  ASSERT_TRUE(store_->turns().Fail(**next, "no model", kMaxTurnTries));
  EXPECT_EQ(FinishNext(), "ann says 1");
  EXPECT_EQ(FinishNext(), "ann says 2");
  EXPECT_EQ(FinishNext(), "ann says 0");
}

}  // namespace
}  // namespace memory
