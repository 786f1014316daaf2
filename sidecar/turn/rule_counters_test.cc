// Shows the counters of each rule, and that a rule that leaves the policy leaves the status and the
// metrics.
#include "sidecar/turn/rule_counters.h"

#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

RuleVerdict VerdictOf(const char* rule, RuleVerdict::Outcome outcome, int64_t took_us = 0) {
  RuleVerdict verdict;
  verdict.rule = rule;
  verdict.outcome = outcome;
  verdict.took_us = took_us;
  return verdict;
}

TEST(RuleCounters, CountsByFateAndForgetsRulesThatAreGone) {
  using Outcome = RuleVerdict::Outcome;
  telemetry::Metrics metrics;
  RuleCounters counters(metrics);
  counters.Follow({"b", "a", "b"});
  const std::vector<RuleVerdict> verdicts = {VerdictOf("a", Outcome::kMatched, 1'500'000),
                                             VerdictOf("b", Outcome::kOutput, 500'000),
                                             VerdictOf("gone", Outcome::kMatched)};
  counters.Count(verdicts, true);
  counters.Count(verdicts, false);
  counters.Count({VerdictOf("b", Outcome::kOverBudget)}, true);
  EXPECT_EQ(
      counters.Encode(),
      (Json{{{"rule", "b"}, {"matched", 0}, {"saved", 0}, {"dropped", 1}, {"seconds", 1.0}},
            {{"rule", "a"}, {"matched", 2}, {"saved", 1}, {"dropped", 1}, {"seconds", 3.0}}}));
  EXPECT_EQ(metrics.Value("agent_memory_sidecar_rule_seconds_total", {{"rule", "a"}}), 3);
  EXPECT_EQ(metrics.Render().find("gone"), std::string::npos);
  counters.Follow({"a", "new"});
  EXPECT_EQ(metrics.Render().find("rule=\"b\""), std::string::npos);
  EXPECT_EQ(metrics.Value("agent_memory_sidecar_rule_matches_total", {{"rule", "a"}}), 2);
  EXPECT_EQ(counters.Encode()[1]["matched"], 0);
}

class RuleFigures : public SidecarTest {
 protected:
  Json Figures(const std::string& rule) {
    const Json rules = Ask("GET", "/v1/status").body["rules"];
    for (const Json& one : rules) {
      if (one["rule"] == rule) return one;
    }
    return nullptr;
  }
  std::string Metrics() {
    http::ClientRequest request;
    request.target = "/metrics";
    auto scraped = admin_->Send(request);
    return scraped ? scraped->body : "";
  }
};

TEST_F(RuleFigures, AreInTheStatusAndTheMetrics) {
  memory_.Down();
  Start([](SidecarSettings& settings) { settings.outbox.rows = 3; });
  Prompt("go");  // the session needs a row
  Bash("error: one", "t1");
  Bash("error: one", "t1");  // a repeated event
  Bash("error: two", "t2");
  EXPECT_EQ(Bash("error: three", "t3").status, 507);
  Bash("fine", "t4");
  const Json errors = Figures("errors");
  EXPECT_EQ(errors["matched"], 3);
  EXPECT_EQ(errors["saved"], 2);
  EXPECT_EQ(errors["dropped"], 1);
  EXPECT_GE(errors["seconds"], 0);
  EXPECT_EQ(Figures("places")["matched"], 0);
  const std::string metrics = Metrics();
  for (const char* line : {"agent_memory_sidecar_rule_matches_total{rule=\"errors\"} 3",
                           "agent_memory_sidecar_captures_total{rule=\"errors\"} 2",
                           "agent_memory_sidecar_rule_drops_total{rule=\"errors\"} 1"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line << "\n" << metrics;
  }
}

TEST_F(RuleFigures, OfARemovedRuleGoWithIt) {
  Prompt("go");
  Bash("error: x", "t1");
  EXPECT_NE(Metrics().find("rule=\"errors\""), std::string::npos);
  directory_.Write(
      "policy.json",
      PolicyText(memory_.url(),
                 {{"toolHooks", {{"memorySaveRules", {{{"name", "new"}, {"tool", "bash"}}}}}}}));
  ASSERT_TRUE(Until([&] { return !Figures("new").is_null(); }));
  EXPECT_TRUE(Figures("errors").is_null());
  EXPECT_EQ(Metrics().find("rule=\"errors\""), std::string::npos);
  Bash("error: y", "t2");
  EXPECT_EQ(Figures("new")["saved"], 1);
  EXPECT_EQ(Metrics().find("rule=\"errors\""), std::string::npos);
}

TEST_F(RuleFigures, OfARestoredPolicyCountToo) {
  directory_.Write("policy.json", "{broken");
  Start();
  Bash("error: x", "t1");
  EXPECT_EQ(Figures("errors")["saved"], 1);
}

}  // namespace
}  // namespace sidecar
