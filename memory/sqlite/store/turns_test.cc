// Turns of a store: what waits survives its end. keeping/turns_test.cc has their rules.
#include "lib/testing/fake_clock.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class TurnsTest : public StoreTest {
 protected:
  Turn Said(const std::string& text) {
    Turn turn;
    turn.context.project = "p";
    turn.user = text;
    return turn;
  }
};

TEST_F(TurnsTest, WaitingTurnsAndCountedTokensSurviveReopening) {
  const std::string second(kObserveTokens / 2 * 3, 'x');
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(store_->turns().Accept(Said(second), ""));
  const auto finish = [&] {
    const auto next = store_->turns().Next();
    EXPECT_TRUE(next && *next);
    const auto due = store_->turns().Finish(**next, base::Json::array(), kReflectTokens);
    EXPECT_TRUE(due) << due.error().message;
    return due->note;
  };
  EXPECT_FALSE(finish());
  Reopen();
  EXPECT_TRUE(store_->turns().AnyPending());
  EXPECT_TRUE(finish());
  EXPECT_FALSE(store_->turns().AnyPending());
  Reopen();
  EXPECT_FALSE(store_->turns().AnyPending());
}

TEST_F(TurnsTest, SweepOfTheStoreRemovesOldTurns) {
  ::testing::FakeClock clock;
  StoreOptions options;
  options.clock = &clock;
  Reopen(options);
  const auto accepted = store_->turns().Accept(Said("text"), "");
  ASSERT_TRUE(accepted);
  const auto next = store_->turns().Next();
  ASSERT_TRUE(next && *next);
  ASSERT_TRUE(store_->turns().Finish(**next, base::Json::array(), kReflectTokens));
  clock.Advance(7 * kDay + 1);
  ASSERT_TRUE(store_->Sweep({}));
  EXPECT_FALSE(*store_->turns().Find(Said("").context, accepted->id));
  store_.reset();  // before its clock
}

}  // namespace
}  // namespace memory
