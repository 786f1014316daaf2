// A day has its tokens, whoever asks and however often the program starts.
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
  std::optional<TokenBudget::Taken> Take(int64_t tokens) {
    auto taken = budget_->Take(tokens);
    EXPECT_TRUE(taken) << taken.error().message;
    return taken ? *taken : std::nullopt;
  }
  ::testing::FakeClock clock_;
  testing::TemporaryDirectory scratch_;
  const std::string file_ = scratch_.File("tokens.json");
  std::unique_ptr<TokenBudget> budget_;
};

TEST_F(TokenBudgetTest, WhatWasTakenIsUsedAfterACrashAndWhatWasSettledAfterARestart) {
  const auto settled = Take(60);
  budget_->Settle(*settled, 10);
  EXPECT_TRUE(Take(40));
  Start();  // nobody settled the latter
  EXPECT_EQ(budget_->Left(), 50);
  EXPECT_FALSE(Take(51));
  EXPECT_TRUE(Take(50));
  Start();
  EXPECT_FALSE(Take(1));
}

TEST_F(TokenBudgetTest, MidnightUtcBringsTheNextDayOnce) {
  const auto taken = Take(100);
  clock_.Advance(kDay - 1);
  EXPECT_FALSE(Take(1));
  clock_.Advance(1);
  EXPECT_TRUE(Take(70));
  budget_->Settle(*taken, 100);  // of yesterday
  EXPECT_EQ(budget_->Left(), 30);
  clock_.Jump(-1);  // somebody sets the clock back over midnight
  EXPECT_FALSE(Take(31));
  clock_.Jump(-10 * kDay);  // it was wrong for long
  EXPECT_TRUE(Take(31));
}

TEST_F(TokenBudgetTest, ARequestThatCostMoreCountsAndNoMoreAreTaken) {
  budget_->Settle(*Take(10), 1'000'000);
  EXPECT_EQ(budget_->Left(), 0);
  EXPECT_FALSE(Take(1));
  clock_.Advance(kDay);
  EXPECT_EQ(budget_->Left(), 100);
}

TEST_F(TokenBudgetTest, ManyThreadsTakeNoMoreThanThereIs) {
  Start(1000);
  std::atomic<int64_t> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n)
          if (Take(30)) taken += 30;
      });
  }
  EXPECT_EQ(taken, 990);
}

TEST_F(TokenBudgetTest, AFileThatIsNoneCountsTodayAsSpent) {
  for (const char* text : {"", "{", "{\"day\": 1}", "{\"day\": 1, \"used\": -5}", "[]"}) {
    std::ofstream(file_) << text;
    Start();
    EXPECT_FALSE(Take(1)) << text;
  }
  clock_.Advance(kDay);
  EXPECT_TRUE(Take(100));
}

TEST_F(TokenBudgetTest, WhatCannotBeWrittenDownIsNotTaken) {
  budget_ = std::make_unique<TokenBudget>(scratch_.File("none/tokens.json"), 100, clock_);
  EXPECT_FALSE(budget_->Take(10));
  EXPECT_EQ(budget_->Left(), 100);
}

}  // namespace
}  // namespace memory
