// Parsing, validation and choice of retention rules.
#include "memory/model/retention.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

using base::Json;

RetentionRules Rules(const char* text) {
  auto rules = DecodeRetention(*base::ParseJson(text));
  EXPECT_TRUE(rules) << (rules ? "" : rules.error().message);
  return rules ? *rules : RetentionRules();
}

TEST(Retention, RulesHaveTheWordsAndDefaultsOfTheAgent) {
  RetentionRules rules = Rules(R"([{"type": "audit", "scope": "global", "ttl": "1h30m",
                                    "maxRows": 7}, {}])");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].ttl_ms, 5'400'000);
  EXPECT_EQ(rules[0].max_rows, 7);
  EXPECT_EQ(rules[1].type, "*");
  EXPECT_EQ(rules[1].scope, "project");
  auto again = DecodeRetention(EncodeRetention(rules));
  ASSERT_TRUE(again);
  EXPECT_EQ(EncodeRetention(*again), EncodeRetention(rules));
  EXPECT_TRUE(Rules("null").empty());
  EXPECT_EQ(Rules(R"([{"ttl": "1ns"}])")[0].ttl_ms, 1) << "not 0, which is for ever";
  EXPECT_EQ(Rules(R"([{"ttl": "+1h30m0.5s"}])")[0].ttl_ms, 5'400'500);
  EXPECT_EQ(EncodeRetention(rules)[0]["ttl"], "90m");
  EXPECT_EQ(EncodeRetention(rules)[1]["ttl"], "0s");
}

TEST(Retention, WhatIsWrongIsNamed) {
  for (auto [text, word] : {std::pair{R"([{"ttl": "soon"}])", "ttl"},
                            {R"([{"ttl": "-1h"}])", "ttl"},
                            {R"([{"scope": "team"}])", "scope"},
                            {R"([{"maxRows": -1}])", "maxRows"},
                            {R"([{"maxrows": 1}])", "maxrows"},
                            {R"([{}, {"type": "*"}])", "already"},
                            {R"({"ttl": "1h"})", "list"}}) {
    auto rules = DecodeRetention(*base::ParseJson(text));
    ASSERT_FALSE(rules) << text;
    EXPECT_NE(rules.error().message.find(word), std::string::npos) << rules.error().message;
  }
}

TEST(Retention, ARowHasTheRuleOfItsTypeBeforeThatOfAllTypes) {
  RetentionRules rules = Rules(R"([{"ttl": "1h"}, {"type": "decision"},
                                   {"scope": "global", "ttl": "2h"}])");
  EXPECT_EQ(RuleFor(rules, "lesson", "project")->ttl_ms, 3'600'000);
  EXPECT_EQ(RuleFor(rules, "decision", "project")->ttl_ms, 0);
  EXPECT_EQ(RuleFor(rules, "decision", "global")->ttl_ms, 7'200'000);
  EXPECT_EQ(RuleFor({}, "decision", "global"), nullptr);
}

TEST(Retention, AProjectWithRulesOfItsOwnHasThoseAlone) {
  RetentionPolicy policy;
  EXPECT_FALSE(policy.Ends());
  policy.defaults = Rules(R"([{"ttl": "1s"}])");
  policy.of_project[7] = Rules(R"([{"maxRows": 1}])");
  EXPECT_TRUE(policy.Ends());
  EXPECT_EQ(policy.KeptSince(1, "project", "lesson", 6000), 5000);
  EXPECT_EQ(policy.KeptSince(7, "project", "lesson", 6000), INT64_MIN);
  EXPECT_EQ(policy.KeptSince(1, "global", "lesson", 6000), INT64_MIN);
}

}  // namespace
}  // namespace memory
