// Shows that the writes of any hook event keep the limits of the wire and of time.
#include "sidecar/turn/turn_draft.h"

#include <gtest/gtest.h>

#include "lib/api/memory_api.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

api::HookEvent Result(Json response, const std::string& id = "t1") {
  api::HookEvent event;
  event.kind = api::HookEvent::Kind::kPostToolUse;
  event.name = "PostToolUse";
  event.session_id = "c1";
  event.tool_name = "Bash";
  event.tool_use_id = id;
  event.tool_input = {{"command", "make"}};
  event.tool_response = std::move(response);
  return event;
}

std::shared_ptr<const ActivePolicy> PolicyOf(Json more = Json::object()) {
  auto policy = CompilePolicy(PolicyText("http://x", std::move(more)), 0);
  EXPECT_TRUE(policy) << policy.error().message;
  return *policy;
}

TEST(TurnDraft, LongIdsAndNamesKeepToTheWire) {
  const auto policy = PolicyOf();
  std::string calls[2];
  for (int i = 0; i < 2; ++i) {
    api::HookEvent event = Result("an error", std::string(2'000, 'i') + std::to_string(i));
    event.tool_name = "mcp__s__" + std::string(i * 900, 'x') + "bash";
    if (i == 1) event.tool_name = "mcp__" + std::string(900, 'x') + "__bash";
    const TurnDraft draft = DraftTurn(*policy, event, {});
    ASSERT_EQ(draft.captures.size(), 1u);
    EXPECT_EQ(draft.call_id, event.tool_use_id) << "the conversation keeps it whole";
    const Json body = ObservationBody(draft, draft.captures[0], "s", policy->policy);
    const auto decoded = api::DecodeNewObservation(body);
    ASSERT_TRUE(decoded) << decoded.error().message;
    calls[i] = decoded->source.tool_call_id;
  }
  EXPECT_NE(calls[0], calls[1]);
}

TEST(TurnDraft, TheOutputOfManyPiecesIsCutAsAWhole) {
  Json pieces = Json::array();
  pieces.push_back("first");
  for (int i = 0; i < 40; ++i) pieces.push_back(std::string(100'000, 'x'));
  pieces.push_back("an error at last");
  const TurnDraft draft = DraftTurn(*PolicyOf(), Result(pieces), {});
  EXPECT_TRUE(draft.truncated);
  EXPECT_LT(draft.output.size(), size_t{257} << 10);
  EXPECT_TRUE(draft.output.starts_with("first")) << draft.output.substr(0, 20);
  EXPECT_TRUE(draft.output.ends_with("an error at last"));
  EXPECT_NE(draft.output.find(" bytes left out]"), std::string::npos);
  EXPECT_EQ(draft.captures.size(), 1u);
  EXPECT_TRUE(draft.event.tool_response.is_null());
  EXPECT_EQ(draft.messages[1].content, draft.output);
}

TEST(TurnDraft, OfTheTextsOfACallAMebibyteIsKept) {
  api::HookEvent event = Result("done");
  event.tool_input = {{"edits", Json::array()}, {"path", "/repo/a"}};
  for (int i = 0; i < 40; ++i)
    event.tool_input["edits"].push_back({{"new", std::string(200'000, 'x')}});
  const TurnDraft draft = DraftTurn(*PolicyOf(), event, {});
  EXPECT_TRUE(draft.truncated);
  const Json& kept = draft.event.tool_input;
  EXPECT_EQ(kept["edits"][0]["new"], std::string(200'000, 'x'));
  EXPECT_EQ(kept["edits"][39]["new"], "[200000 bytes left out]");
  EXPECT_EQ(kept["path"], "/repo/a");
  EXPECT_LT(base::DumpJson(draft.messages[0].tool_calls).size(), size_t{1'100'000});
  EXPECT_FALSE(DraftTurn(*PolicyOf(), Result("done"), {}).truncated);
}

TEST(TurnDraft, SecretsLeaveResultsOfEveryShape) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  for (const Json& response :
       {Json("x " + secret), Json{{"stdout", secret}}, Json{{"unknown", {{"a", secret}}}},
        Json::array({secret, {{"unknown", secret}}})}) {
    const TurnDraft draft = DraftTurn(*PolicyOf(), Result(response), {});
    EXPECT_EQ(draft.output.find(secret), std::string::npos) << response;
    EXPECT_NE(draft.output.find("[REDACTED:github:"), std::string::npos) << response;
  }
}

TEST(TurnDraft, WhatWasNotRedactedInTimeIsNotKept) {
  const auto policy = PolicyOf();
  api::HookEvent event = Result("error " + std::string(100'000, 's'));
  event.tool_input = {{"command", std::string(50'000, 's')}, {"more", {1, "ssssssssssss"}}};
  int64_t now_us = 0;
  DraftSources slow;
  slow.spent = [&] { return now_us += kHookBudgetUs; };
  const TurnDraft draft = DraftTurn(*policy, event, slow);
  EXPECT_EQ(draft.over_budget, std::vector<std::string>{"redaction"});
  EXPECT_EQ(draft.output, "[not stored: redaction ran out of its time budget, 100006 characters]");
  EXPECT_TRUE(draft.captures.empty());
  for (const RuleVerdict& verdict : draft.verdicts) {
    EXPECT_EQ(verdict.outcome, RuleVerdict::Outcome::kOverBudget);
  }
  for (const conversation::Message& message : draft.messages) {
    const std::string kept = message.content + message.tool_calls.dump();
    EXPECT_EQ(kept.find("ssss"), std::string::npos) << kept;
    EXPECT_NE(kept.find("not stored"), std::string::npos) << kept;
  }
}

TEST(TurnDraft, CommitsAreReadWithinTheTimeOfTheHook) {
  const auto policy = PolicyOf({{"memory", {{"saveCommits", true}}}});
  api::HookEvent event = Result("");
  event.cwd = "/repo";
  event.tool_input = {
      {"command",
       "git commit -m 'Add pools'; git commit -m 'Add probes'; git commit -m 'Add routes'"}};
  int64_t now_us = 0;
  int asked = 0;
  DraftSources slow;
  slow.spent = [&] { return now_us; };
  slow.commit = [&](const CommitQuery&) {
    ++asked;
    now_us += kHookBudgetUs + 1;
    return std::optional<RepositoryCommit>();
  };
  EXPECT_EQ(DraftTurn(*policy, event, slow).captures.size(), 3u) << "as the command tells them";
  EXPECT_EQ(asked, 1);
}

TEST(TurnDraft, TheMiddleOfALongCommandIsJudged) {
  const auto policy = PolicyOf({{"toolHooks", {{"blockedCommands", {"rm -rf"}}}}});
  api::HookEvent event = Result(nullptr);
  event.kind = api::HookEvent::Kind::kPreToolUse;
  event.tool_input = {{"command", "echo '" + std::string(200'000, 'x') + "'; rm -rf /; echo '" +
                                      std::string(200'000, 'x') + "'"}};
  EXPECT_NE(DraftTurn(*policy, event, {}).denial, "");
}

}  // namespace
}  // namespace sidecar
