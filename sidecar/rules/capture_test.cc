// Shows the results that save rules match and their captures: every matching rule, arguments of any
// type, and an excerpt that always contains the match.
#include "sidecar/rules/capture.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;

api::HookEvent Used(std::string tool, Json input, Json response) {
  api::HookEvent event;
  event.kind = api::HookEvent::Kind::kPostToolUse;
  event.tool_name = std::move(tool);
  event.tool_input = std::move(input);
  event.tool_response = std::move(response);
  return event;
}

api::SaveRule RuleFor(std::string tool, std::string output = "", std::string name = "") {
  api::SaveRule rule;
  rule.tool = std::move(tool);
  rule.match_output = std::move(output);
  rule.name = std::move(name);
  return rule;
}

std::vector<Capture> CapturesOf(const std::vector<api::SaveRule>& rules,
                                const api::HookEvent& event) {
  auto compiled = CaptureRules::Compile(rules);
  EXPECT_TRUE(compiled) << compiled.error().message;
  return compiled->Judge(event, ReadOutput(event).text, [] { return int64_t{0}; }).captures;
}

TEST(Capture, EveryMatchingRuleFires) {
  const auto captures =
      CapturesOf({RuleFor("bash", "error", "errors"), RuleFor("bash", "nothing", "none"),
                  RuleFor("ba*", "undefined", "symbols"), RuleFor("bash", "", "all")},
                 Used("Bash", {{"command", "make"}}, "error: undefined reference"));
  ASSERT_EQ(captures.size(), 3u);
  EXPECT_EQ(captures[0].rule, "errors");
  EXPECT_EQ(captures[1].rule, "symbols");
  EXPECT_EQ(captures[2].rule, "all");
}

TEST(Capture, WhatOthersWroteIsOfTheLowerClass) {
  const auto trust_of = [](const api::SaveRule& rule, const char* tool) {
    auto compiled = CaptureRules::Compile({rule}, {"crm_*"});
    const auto judged = compiled->Judge(Used(tool, {}, "x"), "x", [] { return int64_t{0}; });
    return judged.captures.empty() ? "none" : judged.captures[0].trust;
  };
  for (const char* tool : {"WebFetch", "web_search", "browser_click", "mcp__jira__get", "crm_read"})
    EXPECT_EQ(trust_of(RuleFor("*"), tool), "tool-output") << tool;
  for (const char* tool : {"Bash", "Read", "crm"}) EXPECT_EQ(trust_of(RuleFor("*"), tool), "rule");
  api::SaveRule said = RuleFor("*");
  said.trust = "rule";
  EXPECT_EQ(trust_of(said, "WebFetch"), "rule");
  said.trust = "tool-output";
  EXPECT_EQ(trust_of(said, "Bash"), "tool-output");
}

TEST(Capture, ToolThatNoRuleNamesIsLeftAlone) {
  EXPECT_TRUE(CapturesOf({RuleFor("bash", "error")}, Used("notes", {}, "error error")).empty());
}

TEST(Capture, FailuresAreSearchedToo) {
  api::HookEvent event = Used("bash", {{"command", "x"}}, nullptr);
  event.kind = api::HookEvent::Kind::kPostToolUseFailure;
  event.error = "Exit code 3\nfatal: boom";
  const auto captures = CapturesOf({RuleFor("bash", "^fatal|(?m)^fatal")}, event);
  ASSERT_EQ(captures.size(), 1u);
  EXPECT_EQ(captures[0].content, event.error);
}

TEST(Capture, ArgumentsOfAnyTypeMustAllMatch) {
  api::SaveRule rule = RuleFor("apply");
  rule.match_args = {{"command", "^apply"}, {"replicas", "^3$"}, {"dry_run", "false"}};
  Json input = {{"command", "apply -f x"}, {"replicas", 3}, {"options", {{"dry_run", false}}}};
  EXPECT_EQ(CapturesOf({rule}, Used("apply", input, "ok")).size(), 1u);
  input["replicas"] = 4;
  EXPECT_TRUE(CapturesOf({rule}, Used("apply", input, "ok")).empty());
  input.erase("replicas");
  EXPECT_TRUE(CapturesOf({rule}, Used("apply", input, "ok")).empty());
  EXPECT_EQ(
      CapturesOf({rule}, Used("apply", R"({"command":"apply","replicas":3,"dry_run":false})", "ok"))
          .size(),
      1u);
}

TEST(Capture, TitleIsMadeFromToolArgumentAndMatchUnlessGiven) {
  const auto event = Used("Bash", {{"command", "make test\nmore"}}, "ok\n  error: no rule  \nend");
  EXPECT_EQ(CapturesOf({RuleFor("bash", "no rule")}, event)[0].title,
            "Bash make test: error: no rule");
  EXPECT_EQ(CapturesOf({RuleFor("bash")}, event)[0].title, "Bash make test: ok");
  api::SaveRule titled = RuleFor("bash");
  titled.title = "Given";
  titled.tags = {"a", "b"};
  titled.type = "bugfix";
  titled.scope = "global";
  const Capture capture = CapturesOf({titled}, event)[0];
  EXPECT_EQ(capture.title, "Given");
  EXPECT_EQ(capture.tags, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(capture.type, "bugfix");
  EXPECT_EQ(capture.scope, "global");
}

TEST(Capture, TitlesAndContentsAreNeverBlankNorTooLong) {
  const Json inputs[] = {nullptr, "text", {{"command", std::string(5000, 'c')}}};
  const Json outputs[] = {"", "\n \n", std::string(5000, '\n') + "x", std::string(300'000, 'y'),
                          nullptr};
  for (const Json& input : inputs) {
    for (const Json& output : outputs) {
      for (const Capture& capture :
           CapturesOf({RuleFor("bash"), RuleFor("bash", "\\s|x|y")}, Used("bash", input, output))) {
        EXPECT_FALSE(base::IsBlank(capture.title));
        EXPECT_FALSE(base::IsBlank(capture.content));
        EXPECT_LE(base::CountCharacters(capture.title), 500u);
        EXPECT_LE(base::CountCharacters(capture.content), kExcerptCharacters);
      }
    }
  }
}

TEST(Capture, OwnToolsAndInjectedTextAreNeverCaptured) {
  const std::vector<api::SaveRule> rules = {RuleFor("*", "error"), RuleFor("mem_*")};
  EXPECT_TRUE(CapturesOf(rules, Used("mem_search", {}, "error")).empty());
  EXPECT_TRUE(CapturesOf(rules, Used("mcp__memory__mem_context", {}, "error")).empty());
  EXPECT_TRUE(CapturesOf(rules, Used("bash", {}, "x\n<memory:context>\n- error\n</memory:context>"))
                  .empty());
  const auto captures =
      CapturesOf(rules, Used("bash", {}, "<memory:sessions>error</memory:sessions> new error"));
  ASSERT_EQ(captures.size(), 1u);
  EXPECT_EQ(captures[0].content, " new error");
}

TEST(Capture, LongOutputIsSearchedInHeadAndTail) {
  const std::string filler(400'000, '.');
  const auto rules = {RuleFor("bash", "NEEDLE-[0-9]+")};
  EXPECT_NE(CapturesOf(rules, Used("bash", {}, filler + "NEEDLE-7"))[0].content.find("NEEDLE-7"),
            std::string::npos);
  EXPECT_NE(CapturesOf(rules, Used("bash", {}, "NEEDLE-8" + filler))[0].content.find("NEEDLE-8"),
            std::string::npos);
  EXPECT_TRUE(CapturesOf(rules, Used("bash", {}, filler + "NEEDLE-9" + filler)).empty());
}

TEST(Capture, EveryRuleSaysWhatItMadeOfTheResult) {
  using Outcome = RuleVerdict::Outcome;
  api::SaveRule arguments = RuleFor("bash", "", "arguments");
  arguments.match_args = {{"command", "^make"}, {"jobs", "2"}};
  auto rules = CaptureRules::Compile({RuleFor("bash", "err[a-z]+", "errors"),
                                      RuleFor("kubectl", "", "other"), arguments,
                                      RuleFor("bash", "panic", "panics")});
  ASSERT_TRUE(rules);
  const auto none = [] { return int64_t{0}; };
  const auto event = Used("Bash", {{"command", "make"}}, "an error");
  const auto verdicts = rules->Judge(event, ReadOutput(event).text, none).verdicts;
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[0].outcome, Outcome::kMatched);
  EXPECT_EQ(verdicts[0].match, "error");
  EXPECT_EQ(verdicts[1].outcome, Outcome::kOtherTool);
  EXPECT_EQ(verdicts[2].outcome, Outcome::kArgument);
  EXPECT_EQ(verdicts[2].argument, "jobs");
  EXPECT_EQ(verdicts[3].outcome, Outcome::kOutput);
  for (const RuleVerdict& verdict :
       rules->Judge(Used("mem_get", {}, "error"), "error", none).verdicts) {
    EXPECT_EQ(verdict.outcome, Outcome::kOwnTool);
  }
}

TEST(Capture, SlowRulesLeaveLaterOnesUntriedButNeverTheFirst) {
  auto rules = CaptureRules::Compile({RuleFor("other"), RuleFor("bash", "error", "first"),
                                      RuleFor("bash", "error", "second"),
                                      RuleFor("bash", "error", "third")});
  ASSERT_TRUE(rules);
  int64_t spent_us = 1'000'000;  // earlier work of the thread does not count
  const auto judgement = rules->Judge(Used("bash", {}, "error"), "error", [&] {
    return std::exchange(spent_us, spent_us + kMatchBudgetUs / 2 + 1);
  });
  ASSERT_EQ(judgement.captures.size(), 2u);
  EXPECT_EQ(judgement.captures[0].rule, "first");
  EXPECT_EQ(judgement.captures[1].rule, "second");
  EXPECT_EQ(judgement.verdicts[3].outcome, RuleVerdict::Outcome::kOverBudget);
  EXPECT_EQ(judgement.verdicts[1].took_us, kMatchBudgetUs / 2 + 1);
  EXPECT_EQ(judgement.verdicts[3].took_us, 0);
}

TEST(Capture, ResultsOfEveryShapeAreSearched) {
  const Json responses[] = {
      "an error", Json::array({{{"type", "text"}, {"text", "an error"}}}),
      Json{{"stdout", ""}, {"stderr", "an error"}},
      Json{{"content", Json::array({{{"type", "text"}, {"text", "an error"}}})}},
      Json{{"status", {{"message", "an error"}}}}};
  for (const Json& response : responses) {
    const auto captures = CapturesOf({RuleFor("bash", "error")}, Used("bash", {}, response));
    ASSERT_EQ(captures.size(), 1u) << response.dump();
    EXPECT_NE(captures[0].content.find("an error"), std::string::npos) << response.dump();
  }
}

TEST(Capture, BadPatternNamesItsRule) {
  auto compiled =
      CaptureRules::Compile({RuleFor("bash", "ok", "good"), RuleFor("bash", "(", "broken")});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, base::Code::kInvalid);
  EXPECT_NE(compiled.error().message.find("broken"), std::string::npos);
  api::SaveRule arguments = RuleFor("bash", "", "args");
  arguments.match_args = {{"command", "[z-a]"}};
  auto second = CaptureRules::Compile({arguments});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("matchArgs.command"), std::string::npos);
}

TEST(RuleName, UnnamedRulesAreKnownByTheirDefinition) {
  EXPECT_EQ(RuleName(RuleFor("bash", "x", "mine")), "mine");
  EXPECT_EQ(RuleName(RuleFor("bash", "x")), RuleName(RuleFor("bash", "x")));
  EXPECT_NE(RuleName(RuleFor("bash", "x")), RuleName(RuleFor("bash", "y")));
}

TEST(Excerpt, ShortTextIsKeptWhole) {
  const std::string text(1000, 'x');
  EXPECT_EQ(Excerpt(text, 500, 510), text);
}

TEST(Excerpt, HoldsTheMatchWithRoomOnBothSides) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const char* const characters[] = {"a", "é", "日", "🚀"};
  for (int round = 0; round < 500; ++round) {
    const size_t before = random() % 3000, length = random() % 600, after = random() % 3000;
    std::string head, tail;
    for (size_t i = 0; i < before; ++i) head += characters[random() % 4];
    for (size_t i = 0; i < after; ++i) tail += characters[random() % 4];
    const std::string match = "[" + std::string(length, 'M') + "]";
    const std::string text = head + match + tail;
    const std::string excerpt = Excerpt(text, head.size(), head.size() + match.size());
    const size_t at = excerpt.find(match);
    ASSERT_NE(at, std::string::npos);
    ASSERT_TRUE(base::IsUtf8(excerpt));
    ASSERT_EQ(base::CountCharacters(excerpt),
              std::min<size_t>(base::CountCharacters(text), kExcerptCharacters));
    if (match.size() > 600) continue;
    ASSERT_GE(base::CountCharacters(excerpt.substr(0, at)),
              std::min<size_t>(before, kExcerptMargin - 1));
    ASSERT_GE(base::CountCharacters(excerpt.substr(at + match.size())),
              std::min<size_t>(after, kExcerptMargin - 1));
  }
}

TEST(Excerpt, MatchLongerThanTheWindowIsShownFromItsStart) {
  const std::string text = std::string(500, 'a') + std::string(1500, 'M') + std::string(500, 'b');
  EXPECT_EQ(Excerpt(text, 500, 2000), std::string(1000, 'M'));
}

}  // namespace
}  // namespace sidecar
