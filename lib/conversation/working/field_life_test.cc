// Tests writes and removals in the background, and that a restart keeps the expiry.
#include "lib/conversation/working/field_life.h"

#include <gtest/gtest.h>

#include "lib/conversation/checkpoint/checkpoint.h"
#include "lib/conversation/rows_fixture.h"
#include "lib/testing/fake_clock.h"

namespace conversation {
namespace {

constexpr int64_t kLifeDay = 86'400'000;

class FieldLifeTest : public RowsTest {
 protected:
  void SetUp() override { Restart(); }
  void Restart() { life_ = std::make_unique<FieldLife>(clock_, *rows().LoadClock()); }
  void Put(const std::string& id) {
    ASSERT_TRUE(WriteFields(rows(), {"", id, {{{"a", 1}}, {}}, {}}, life_->Now()));
  }
  bool Lives(const std::string& id = "c") {
    return ReadFields(rows(), id, life_->Now()).value_or(WorkingFields()).version > 0;
  }
  FieldLife::Write Writing() {
    return [this](const auto& work) {
      ++commits_;
      return work(rows());
    };
  }
  int64_t Sweep() {
    return life_->Sweep(Writing(), [] { return false; }).value_or(-1);
  }

  testing::FakeClock clock_;
  std::unique_ptr<FieldLife> life_;
  int commits_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Rows, FieldLifeTest, kBothEngines, EngineName);

TEST_P(FieldLifeTest, WrittenRefreshSurvivesRestart) {
  Put("c");
  clock_.Advance(kLifeDay - 1);
  life_->refreshes().Note("c", {1, life_->Now().now_ms + kLifeDay});
  ASSERT_TRUE(life_->Keep(Writing()));
  EXPECT_EQ(commits_, 1);
  ASSERT_TRUE(life_->Keep(Writing()));
  EXPECT_EQ(commits_, 1) << "nothing to write";
  clock_.Advance(kLifeDay - 1);
  Restart();
  EXPECT_TRUE(Lives());
}

TEST_P(FieldLifeTest, WallClockJumpExpiresAndKeepsNothing) {
  Put("c");
  ASSERT_TRUE(life_->Keep(Writing()));
  clock_.Jump(10 * 365 * kLifeDay);
  EXPECT_TRUE(Lives());
  EXPECT_EQ(Sweep(), 0);
  clock_.Jump(-20 * 365 * kLifeDay);
  clock_.Advance(kLifeDay);
  EXPECT_FALSE(Lives());
  Put("d");
  ASSERT_TRUE(life_->Keep(Writing()));
  clock_.Jump(20 * 365 * kLifeDay);
  clock_.Advance(kLifeDay / 2);
  EXPECT_TRUE(Lives("d"));
}

TEST_P(FieldLifeTest, SweepRemovesInPiecesAndStops) {
  for (int i = 0; i < 450; ++i) Put("c" + std::to_string(i));
  clock_.Advance(kLifeDay + kKeepExpiredMs);
  int calls = 0;
  EXPECT_EQ(*life_->Sweep(Writing(), [&] { return ++calls > 1; }), 200);
  EXPECT_EQ(Sweep(), 250);
  EXPECT_EQ(Sweep(), 0);
}

TEST_P(FieldLifeTest, CheckpointsExpireByTheSameClock) {
  const auto save = [&](const std::string& id) {
    return SaveCheckpoint(rows(), {.conversation = id,
                                   .document = "{}",
                                   .sha256 = "",
                                   .ttl_ms = 10 * kLifeDay,
                                   .now_ms = life_->Now().now_ms});
  };
  const auto there = [&] { return ListCheckpoints(rows(), "c", life_->Now().now_ms)->size(); };
  ASSERT_TRUE(save("c"));
  ASSERT_TRUE(life_->Keep(Writing(), 0));
  clock_.Jump(365 * kLifeDay);
  Restart();
  EXPECT_EQ(there(), 1u) << "a wall clock that jumps ends none";
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(save("d" + std::to_string(i)));
  clock_.Advance(10 * kLifeDay);
  EXPECT_EQ(there(), 0u);
  EXPECT_EQ(Sweep(), 1) << "it is a day older, by the restart";
  clock_.Advance(kKeepExpiredCheckpointMs);
  EXPECT_EQ(Sweep(), 10);
}

TEST_P(FieldLifeTest, RefreshedFieldsAreNotSwept) {
  Put("c");
  clock_.Advance(kLifeDay - 1);
  life_->refreshes().Note("c", {1, life_->Now().now_ms + kLifeDay});
  clock_.Advance(kLifeDay - 1);
  EXPECT_EQ(Sweep(), 0);
  EXPECT_TRUE(Lives());
}

}  // namespace
}  // namespace conversation
