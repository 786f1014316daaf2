// DeriveRun over clusters with a scripted deriver.
#include "memory/derive/derive_run.h"

#include <gtest/gtest.h>

#include <deque>

namespace memory {
namespace {

using base::Code;
using base::Error;
using base::Result;
using Insights = std::vector<Insight>;

class FakeDeriver final : public Deriver {
 public:
  Result<Insights> InsightsOf(const std::vector<std::string>& texts,
                              const std::stop_token&) override {
    asked.push_back(texts);
    Result<Insights> answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  std::deque<Result<Insights>> answers;
  std::vector<std::vector<std::string>> asked;
};

class DeriveRunTest : public ::testing::Test {
 protected:
  DeriveRunTest() {
    work_.clusters = {{{"a", "one"}, {"b", "two"}, {"c", "three"}},
                      {{"d", "four"}, {"e", "five"}, {"f", "six"}}};
  }
  Result<DerivedInsights> Run() { return DeriveRun(work_, deriver_, stop_.get_token()); }
  const Insights some_{{"Numbers.", 0.5, {2, 0}}};
  DeriveWork work_;
  FakeDeriver deriver_;
  std::stop_source stop_;
};

TEST_F(DeriveRunTest, AnInsightNamesItsClusterAndItsSourcesThere) {
  deriver_.answers = {some_, Insights()};
  const auto derived = Run();
  ASSERT_TRUE(derived);
  EXPECT_EQ(derived->outcome, "done");
  ASSERT_EQ(derived->insights.size(), 1u);
  EXPECT_EQ(derived->insights[0].sources, (std::vector<size_t>{2, 0}));
  EXPECT_EQ(derived->insights[0].cluster, 0u);
  EXPECT_EQ(deriver_.asked[1], (std::vector<std::string>{"four", "five", "six"}));
}

TEST_F(DeriveRunTest, AModelThatIsAwayEndsARunWithWhatIsThere) {
  deriver_.answers = {some_, Error{Code::kUnavailable, "the endpoint: away"}};
  EXPECT_EQ(Run()->insights.size(), 1u);
  deriver_.answers = {Error{Code::kUnavailable, "the endpoint: away"}};
  const auto derived = Run();
  EXPECT_EQ(derived->outcome, "skipped, the endpoint: away");
  EXPECT_EQ(deriver_.asked.size(), 3u) << "nobody is asked about the second cluster";
}

TEST_F(DeriveRunTest, AClusterThatAModelAnswersBadlyLeavesTheOthersAlone) {
  deriver_.answers = {Error{Code::kInvalid, "no JSON"}, some_};
  const auto derived = Run();
  ASSERT_EQ(derived->insights.size(), 1u);
  EXPECT_EQ(derived->insights[0].cluster, 1u);
  EXPECT_EQ(derived->outcome, "skipped, no JSON");
}

TEST_F(DeriveRunTest, AStopIsNoOutcome) {
  stop_.request_stop();
  deriver_.answers = {Error{Code::kUnavailable, "the program is stopping"}};
  EXPECT_EQ(Run().error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace memory
