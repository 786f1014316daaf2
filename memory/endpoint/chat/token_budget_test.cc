// A day has one budget, across threads, restarts and changes of the clock.
#include "memory/endpoint/chat/token_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

class TokenBudgetTest : public ::testing::Test {
 protected:
  TokenBudgetTest() : clock_(kMidnight) { Start(); }
  void Start(int64_t per_day = 100) {
    budget_ = std::make_unique<TokenBudget>(file_, per_day, clock_);
  }
  std::optional<TokenBudget::Reservation> Reserve(int64_t tokens) {
    auto reserved = budget_->Reserve(tokens);
    EXPECT_TRUE(reserved) << reserved.error().message;
    return reserved ? *reserved : std::nullopt;
  }
  ::testing::FakeClock clock_;
  testing::TemporaryDirectory scratch_;
  const std::string file_ = scratch_.File("tokens.json");
  std::unique_ptr<TokenBudget> budget_;
};

TEST_F(TokenBudgetTest, ReservationCountsAfterCrash) {
  const auto settled = Reserve(60);
  budget_->Settle(*settled, 10);
  EXPECT_TRUE(Reserve(40));
  Start();  // without settling the second reservation
  EXPECT_EQ(budget_->Left(), 50);
  EXPECT_FALSE(Reserve(51));
  EXPECT_TRUE(Reserve(50));
  Start();
  EXPECT_FALSE(Reserve(1));
}

TEST_F(TokenBudgetTest, NextDayBeginsOnceAtMidnightUtc) {
  const auto reserved = Reserve(100);
  clock_.Advance(kDay - 1);
  EXPECT_FALSE(Reserve(1));
  clock_.Advance(1);
  EXPECT_TRUE(Reserve(70));
  budget_->Settle(*reserved, 100);  // of yesterday
  EXPECT_EQ(budget_->Left(), 30);
  clock_.Jump(-1);  // back over midnight
  EXPECT_FALSE(Reserve(31));
  clock_.Jump(-10 * kDay);  // it was wrong for long
  EXPECT_TRUE(Reserve(31));
}

TEST_F(TokenBudgetTest, CostAboveReservationCounts) {
  budget_->Settle(*Reserve(10), 1'000'000);
  EXPECT_EQ(budget_->Left(), 0);
  EXPECT_FALSE(Reserve(1));
  clock_.Advance(kDay);
  EXPECT_EQ(budget_->Left(), 100);
}

TEST_F(TokenBudgetTest, ManyThreadsNeverExceedTheBudget) {
  Start(1000);
  std::atomic<int64_t> reserved = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n)
          if (Reserve(30)) reserved += 30;
      });
  }
  EXPECT_EQ(reserved, 990);
}

TEST_F(TokenBudgetTest, UnreadableFileMeansNoTokensToday) {
  for (const char* text : {"", "{", "{\"day\": 1}", "{\"day\": 1, \"used\": -5}", "[]"}) {
    std::ofstream(file_) << text;
    Start();
    EXPECT_FALSE(Reserve(1)) << text;
  }
  clock_.Advance(kDay);
  EXPECT_TRUE(Reserve(100));
}

TEST_F(TokenBudgetTest, UnwritableFileReservesNothing) {
  budget_ = std::make_unique<TokenBudget>(scratch_.File("none/tokens.json"), 100, clock_);
  EXPECT_FALSE(budget_->Reserve(10));
  EXPECT_EQ(budget_->Left(), 100);
}

}  // namespace
}  // namespace memory
