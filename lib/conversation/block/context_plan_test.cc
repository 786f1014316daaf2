// Tests the choice of blocks, and the third exercise of the chapter "Agent Memory Systems".
#include "lib/conversation/block/context_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "lib/base/text/text.h"
#include "lib/conversation/block/compaction.h"
#include "lib/conversation/message_fixture.h"

namespace conversation {
namespace {

using Numbers = std::vector<int64_t>;

TEST(ContextPlan, ChoosesNewestFirstAndReturnsAscending) {
  const auto plan = PlanContext({{2, 100}, {1, 100}, {0, 100}}, 50, kReservedTokens + 50 + 250);
  EXPECT_EQ(plan.budget, 250);
  EXPECT_EQ(plan.blocks, (Numbers{1, 2}));
  EXPECT_EQ(plan.left_out, (Numbers{0}));
  EXPECT_EQ(plan.tokens, 250);
}

// The chapter's loop ends at the first block that does not fit.
TEST(ContextPlan, LargeBlockHidesNoOlderOne) {
  const auto plan = PlanContext({{2, 10}, {1, 10'000}, {0, 10}}, 0, kReservedTokens + 100);
  EXPECT_EQ(plan.blocks, (Numbers{0, 2}));
  EXPECT_EQ(plan.left_out, (Numbers{1}));
}

TEST(ContextPlan, NoBudgetChoosesOnlyTheOpenBlock) {
  for (const int64_t max_tokens : {int64_t{0}, int64_t{100}, kReservedTokens + 50}) {
    const auto plan = PlanContext({{0, 0}}, 50, max_tokens);
    EXPECT_TRUE(plan.blocks.empty()) << max_tokens;
    EXPECT_EQ(plan.left_out, (Numbers{0}));
    EXPECT_EQ(plan.tokens, 50);
  }
}

TEST(ContextPlan, InvariantsHoldForRandomSizes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<BlockSize> closed;
    for (auto number = static_cast<int64_t>(random() % 12); number-- > 0;) {
      closed.push_back({number, static_cast<int64_t>(random() % 3'000)});
    }
    const auto open = static_cast<int64_t>(random() % 3'000);
    const auto plan = PlanContext(closed, open, static_cast<int64_t>(random() % 16'000));
    const int64_t used = plan.tokens - open;
    EXPECT_LE(used, std::max<int64_t>(plan.budget, 0));
    EXPECT_TRUE(std::ranges::is_sorted(plan.blocks));
    Numbers all = plan.blocks, wanted(closed.size());
    all.insert(all.end(), plan.left_out.begin(), plan.left_out.end());
    std::ranges::sort(all);
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_EQ(all, wanted);
    for (const BlockSize& block : closed) {
      const bool out = std::ranges::binary_search(plan.left_out, block.number);
      if (out && plan.budget > 0) {
        EXPECT_GT(block.tokens, plan.budget - used);
      }
    }
  }
}

std::vector<Message> Chain(int calls, const std::string& request) {
  std::vector<Message> messages = {Text("user", request)};
  for (int i = 0; i < calls; ++i) {
    const std::string id = "call_" + std::to_string(i);
    Message call = Text("assistant", "");
    call.tool_calls = {{{"id", id},
                        {"type", "function"},
                        {"function", {{"name", "exec"}, {"arguments", "{\"step\":" + id + "}"}}}}};
    messages.push_back(call);
    messages.push_back(ToolResult(id, std::string(2'000, static_cast<char>('a' + i % 26))));
  }
  messages.push_back(Text("assistant", "done with " + request));
  return messages;
}

TEST(Exercise3, CompactCompressesAChainOfTenCallsIntoOneMessage) {
  const auto messages = Chain(10, "check disk usage");
  EXPECT_EQ(messages.size(), 22U);
  const auto compact = CompactMessages({messages.begin() + 1, messages.end() - 1});
  ASSERT_EQ(compact.size(), 1U);
  EXPECT_EQ(std::ranges::count(compact[0].content, '\n'), 11);
  EXPECT_LT(compact[0].content.size(), 3'000U) << "of 20,000 characters of results";
}

TEST(Exercise3, BuildContextFitsWithinTheTokenBudget) {
  std::vector<BlockSize> newest_first;
  for (int64_t number = 9; number >= 0; --number) {
    Compaction block;
    for (const Message& message : Chain(10, "request " + std::to_string(number))) {
      block.Add(message, static_cast<int64_t>(base::CountCharacters(message.content)));
    }
    newest_first.push_back({number, block.Tokens(block.Parts())});
  }
  for (const int64_t max_tokens : {5'000, 6'000, 8'000, 100'000}) {
    const auto plan = PlanContext(newest_first, 100, max_tokens);
    EXPECT_LE(plan.tokens + kReservedTokens, max_tokens);
    EXPECT_EQ(plan.blocks.empty(), false) << max_tokens;
  }
}

TEST(Exercise3, OriginalMessagesArePreservedForRecall) {
  const auto messages = Chain(10, "check disk usage");
  auto before = base::Json::array(), after = base::Json::array();
  for (const Message& message : messages) before.push_back(EncodeMessage(message));
  (void)CompactMessages(messages);
  for (const Message& message : messages) after.push_back(EncodeMessage(message));
  EXPECT_EQ(base::DumpJson(before), base::DumpJson(after));
}

}  // namespace
}  // namespace conversation
