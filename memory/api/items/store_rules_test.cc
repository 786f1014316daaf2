// The time that patterns of a client may take.
#include "memory/api/items/store_rules.h"

#include <gtest/gtest.h>

#include "lib/api/limits.h"

namespace memory {
namespace {

using base::Code;

std::vector<StoreRule> Rules(size_t count, const std::string& match) {
  return std::vector<StoreRule>(count, StoreRule{match, 0});
}

TEST(StoreRules, TooExpensivePatternIsRefused) {
  const std::string answer(42'000, 'a');
  for (const char* hostile : {"((a{1,30}){1,30}){1,3}x", "(\\pL{1,100}){1,9}[0-9]x",
                              "(.{1,60}b){1,15}x", "(a|b|ab|ba|aab){900}x"}) {
    const auto refused = Consider("input", answer, Rules(1, hostile));
    ASSERT_FALSE(refused) << hostile;
    EXPECT_TRUE(refused.error().code == Code::kTooLarge || refused.error().code == Code::kInvalid)
        << refused.error().message;
    EXPECT_NE(refused.error().message.find("rules: "), std::string::npos);
  }
  for (const char* usual : {"(?i)prefer|remember|always|never", "\\b(?:port|host) \\d{1,5}\\b",
                            "\\pL+ \\pL+", "^.{10,400}$", ""}) {
    EXPECT_TRUE(Consider("input", answer, Rules(api::kMaxStoreRules, usual))) << usual;
  }
  EXPECT_TRUE(Consider("input", "short", Rules(1, "(a|b|ab|ba|aab){900}x")));
}

TEST(StoreRules, RulesShareATimeBudget) {
  int64_t now_us = 0;
  const base::CpuClock spent = [&] { return now_us += kConsiderUs / 10; };
  const auto refused = Consider("input", "answer", Rules(api::kMaxStoreRules, "x"), spent);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kTooLarge);
  EXPECT_NE(refused.error().message.find("500 ms"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(Consider("input", "answer", Rules(4, "x"), spent));
}

TEST(StoreRules, DisconnectedClientStopsTheRules) {
  std::stop_source gone;
  gone.request_stop();
  EXPECT_EQ(Consider("input", "answer", Rules(1, "x"), {}, gone.get_token()).error().code,
            Code::kUnavailable);
}

}  // namespace
}  // namespace memory
