// Plays an agent against a real sidecar and a stub of the memory server: stored messages, captures,
// delivery and injections, also over a restart.
#include "sidecar/turn/turn.h"

#include <gtest/gtest.h>

#include <thread>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

Json ContextItem(int64_t id, const std::string& title, const std::string& trust, int revision = 1) {
  return {
      {"id", id},     {"type", "bugfix"},      {"title", title}, {"content", "content of " + title},
      {"rank", -1.5}, {"method", "fts5_bm25"}, {"trust", trust}, {"revision_count", revision}};
}

using Turns = SidecarTest;

TEST_F(Turns, EveryEventIsAMessageBeforeItsAnswer) {
  EXPECT_EQ(Prompt("fix main.c").status, 200);
  EXPECT_EQ(Bash("all fine", "t1").status, 200);
  EXPECT_EQ(Hook("PostToolUseFailure", {{"tool_name", "Read"},
                                        {"tool_input", {{"file_path", "/x"}}},
                                        {"tool_use_id", "t2"},
                                        {"error", "File does not exist"}})
                .status,
            200);
  EXPECT_EQ(Hook("Stop", {{"last_assistant_message", "done"}}).status, 200);
  const Json messages = Messages();
  ASSERT_EQ(messages.size(), 6u);
  EXPECT_EQ(messages[0]["role"], "user");
  EXPECT_EQ(messages[0]["content"], "fix main.c");
  EXPECT_EQ(messages[1]["tool_calls"][0]["id"], "t1");
  EXPECT_EQ(messages[1]["tool_calls"][0]["function"]["name"], "Bash");
  EXPECT_EQ(messages[2]["role"], "tool");
  EXPECT_EQ(messages[2]["tool_call_id"], "t1");
  EXPECT_EQ(messages[2]["content"], "all fine");
  EXPECT_EQ(messages[4]["content"], "File does not exist");
  EXPECT_EQ(messages[5]["role"], "assistant");
  EXPECT_EQ(messages[5]["content"], "done");
}

TEST_F(Turns, EveryMatchingRuleReachesTheServerOnceWithItsSource) {
  Prompt("go");
  Bash("main.c:1: error: marker-7", "t1");
  Hook("PostToolUse",
       {{"tool_name", "control"}, {"tool_response", "error in main.c"}, {"tool_use_id", "t2"}});
  ASSERT_TRUE(memory_.WaitForObservations(2));
  ASSERT_TRUE(Drained());
  const auto rows = memory_.With([](StubMemory& stub) { return stub.observations; });
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(
      rows[0]["source"],
      (Json{{"tool", "Bash"}, {"tool_call_id", "t1"}, {"rule", "errors"}, {"origin", "rule"}}));
  EXPECT_EQ(rows[1]["source"]["rule"], "places");
  EXPECT_EQ(rows[0]["project"], "coder");
  EXPECT_EQ(rows[0]["type"], "bugfix");
  EXPECT_NE(rows[0]["content"].get<std::string>().find("marker-7"), std::string::npos);
  const std::string session = Ask("GET", "/conversations/current").body["memory_session_id"];
  EXPECT_EQ(rows[0]["session_id"], session);
  EXPECT_EQ(memory_.With([](StubMemory& stub) { return stub.calls; })[0].target.substr(0, 8),
            "/context");
  EXPECT_EQ(memory_.CountCalls("POST /sessions"), 1u);
}

TEST_F(Turns, ARepeatedEventIsAnsweredAgainAndKeptOnce) {
  memory_.With([](StubMemory& stub) {
    stub.context["recent_observations"] = {ContextItem(1, "first", "rule")};
  });
  const Json prompt = {{"prompt", "go"}, {"prompt_id", "p1"}};
  const Reply first = Hook("UserPromptSubmit", prompt);
  const Reply again = Hook("UserPromptSubmit", prompt);
  EXPECT_NE(ContextOf(first), "");
  EXPECT_EQ(ContextOf(again), ContextOf(first));
  for (int i = 0; i < 3; ++i) Bash("error: once", "t1");
  EXPECT_EQ(Messages().size(), 3u);
  ASSERT_TRUE(Drained());
  EXPECT_EQ(memory_.With([](StubMemory& stub) { return stub.observations.size(); }), 1u);
  EXPECT_EQ(Ask("GET", "/conversations/current").body["turn"], 1);
}

TEST_F(Turns, ACallIdUsedAgainForAnotherCallIsAnotherMessage) {
  Bash("first output", "call_1");
  Bash("second output", "call_1");
  EXPECT_EQ(Messages().size(), 4u);
}

TEST_F(Turns, SameWordsInAnotherTurnAreAnotherMessage) {
  Hook("UserPromptSubmit", {{"prompt", "again"}, {"prompt_id", "p1"}});
  Hook("UserPromptSubmit", {{"prompt", "again"}, {"prompt_id", "p2"}});
  Prompt("again");
  Prompt("again");
  EXPECT_EQ(Messages().size(), 4u);
}

TEST_F(Turns, PromptGetsSessionsAndTrustedMemoriesOncePerRevision) {
  memory_.With([](StubMemory& stub) {
    stub.context = {{"recent_sessions", {{{"id", "m0"}, {"summary", "Session with 2 messages."}}}},
                    {"recent_observations",
                     {ContextItem(1, "by rule", "rule"), ContextItem(2, "by tool", "tool-output"),
                      ContextItem(3, "by user", "user"), ContextItem(4, "imported", "import")}}};
  });
  const std::string text = ContextOf(Prompt("what broke"));
  EXPECT_NE(text.find("\n- Session with 2 messages.\n</memory:sessions>"), std::string::npos);
  EXPECT_NE(text.find("by rule"), std::string::npos);
  EXPECT_NE(text.find("by user"), std::string::npos);
  EXPECT_EQ(text.find("by tool"), std::string::npos);
  EXPECT_EQ(text.find("imported"), std::string::npos);
  EXPECT_EQ(ContextOf(Prompt("what broke")), "");
  memory_.With(
      [](StubMemory& stub) { stub.context["recent_observations"][0]["revision_count"] = 2; });
  const std::string changed = ContextOf(Prompt("what broke"));
  EXPECT_NE(changed.find("by rule"), std::string::npos);
  EXPECT_EQ(changed.find("by user"), std::string::npos);
  EXPECT_NE(ContextOf(Prompt("what broke", "another")).find("by user"), std::string::npos);
}

TEST_F(Turns, CompactionBringsEverythingBack) {
  memory_.With([](StubMemory& stub) {
    stub.context["recent_observations"] = {ContextItem(1, "kept", "rule")};
  });
  EXPECT_NE(ContextOf(Prompt("a")), "");
  EXPECT_EQ(ContextOf(Prompt("b")), "");
  Hook("SessionStart", {{"source", "startup"}});
  EXPECT_EQ(ContextOf(Prompt("c")), "");
  for (const char* source : {"compact", "clear", "resume"}) {
    Hook("SessionStart", {{"source", source}});
    EXPECT_NE(ContextOf(Prompt("d")), "") << source;
  }
}

TEST_F(Turns, QueryIsThePromptCutTo500Characters) {
  std::string prompt;
  for (int i = 0; i < 600; ++i) prompt += "é";
  Prompt(prompt);
  const auto calls = memory_.With([](StubMemory& stub) { return stub.calls; });
  ASSERT_FALSE(calls.empty());
  EXPECT_NE(calls[0].target.find("query=" + prompt.substr(0, 1000)), std::string::npos);
  EXPECT_EQ(calls[0].target.find(prompt.substr(0, 1002)), std::string::npos);
}

TEST_F(Turns, InjectionsAreOnRecordByteForByte) {
  memory_.With([](StubMemory& stub) {
    stub.context["recent_observations"] = {ContextItem(7, "x <y>", "rule")};
    stub.found = {ContextItem(9, "found", "rule")};
  });
  const std::string text = ContextOf(Prompt("go"));
  const Reply before = Hook(
      "PreToolUse",
      {{"tool_name", "Bash"}, {"tool_use_id", "t1"}, {"tool_input", {{"command", "make all"}}}});
  EXPECT_EQ(before.body, Json::object());  // searched, not injected
  const Json record = Ask("GET", "/v1/injections/c1/1").body;
  ASSERT_EQ(record["injections"].size(), 2u);
  EXPECT_EQ(record["injections"][0]["text"], text);
  EXPECT_EQ(record["injections"][0]["items"][0]["id"], 7);
  EXPECT_EQ(record["injections"][0]["items"][0]["rank"], -1.5);
  EXPECT_TRUE(record["injections"][0]["policy_digest"].get<std::string>().starts_with("sha256:"));
  EXPECT_EQ(record["injections"][1]["query"], "make all");
  EXPECT_EQ(record["injections"][1]["items"][0]["id"], 9);
  EXPECT_EQ(record["injections"][1]["text"], "");
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/2").status, 404);
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/x").status, 400);
}

TEST_F(Turns, ToolSearchIsInjectedWhereThePolicySaysSo) {
  directory_.Write(
      "policy.json",
      PolicyText(memory_.url(),
                 {{"toolHooks",
                   {{"contextInjectTools",
                     {{{"tool", "bash"}, {"query", "from_tool_args"}, {"inject", true}}}}}}}));
  Start();
  memory_.With([](StubMemory& stub) {
    stub.found = {ContextItem(9, "trusted", "rule"), ContextItem(10, "doubtful", "tool-output")};
  });
  Prompt("go");
  const Reply reply =
      Hook("PreToolUse",
           {{"tool_name", "Bash"}, {"tool_use_id", "t1"}, {"tool_input", {{"command", "make"}}}});
  EXPECT_NE(ContextOf(reply).find("trusted"), std::string::npos);
  EXPECT_EQ(ContextOf(reply).find("doubtful"), std::string::npos);
  EXPECT_EQ(reply.body["hookSpecificOutput"]["hookEventName"], "PreToolUse");
}

TEST_F(Turns, AnItemsLineNamesToolRuleAndTrust) {
  memory_.With([](StubMemory& stub) {
    Json captured = ContextItem(1, "captured", "rule"), told = ContextItem(2, "told", "user");
    captured["source"] = {{"tool", "bash"}, {"rule", "errors"}, {"origin", "rule"}};
    told["source"] = {{"origin", "user"}};
    stub.context["recent_observations"] = {captured, told};
  });
  const std::string text = ContextOf(Prompt("what broke"));
  for (const char* line :
       {R"(- [id 1; type "bugfix"; source "bash" by rule "errors"; trust rule] captured)",
        R"(- [id 2; type "bugfix"; source user; trust user] told)"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST_F(Turns, WhatASearchFoundIsTheSameItemAsInTheContext) {
  directory_.Write(
      "policy.json",
      PolicyText(memory_.url(),
                 {{"toolHooks",
                   {{"contextInjectTools",
                     {{{"tool", "bash"}, {"query", "from_tool_args"}, {"inject", true}}}}}}}));
  Start();
  memory_.With([](StubMemory& stub) {
    stub.context["recent_observations"] = {ContextItem(9, "known", "rule", 3)};
    stub.found = {ContextItem(9, "known", "rule", 3), ContextItem(10, "fresh", "rule")};
    stub.found[0]["content"] = std::string(400, 'x');  // searches return whole contents
  });
  EXPECT_NE(ContextOf(Prompt("go")).find("known"), std::string::npos);
  const std::string text = ContextOf(
      Hook("PreToolUse",
           {{"tool_name", "Bash"}, {"tool_use_id", "t1"}, {"tool_input", {{"command", "make"}}}}));
  EXPECT_EQ(text.find("known"), std::string::npos);
  EXPECT_NE(text.find("fresh"), std::string::npos);
}

TEST_F(Turns, ContextLimitZeroAsksAndInjectsNothing) {
  directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", {{"contextLimit", 0}}}}));
  Start();
  memory_.With([](StubMemory& stub) {
    stub.context = {{"recent_sessions", {{{"summary", "Session with 2 messages."}}}},
                    {"recent_observations", {ContextItem(1, "x", "rule")}}};
  });
  EXPECT_EQ(Prompt("go").body, Json::object());
  EXPECT_EQ(memory_.CountCalls("GET /context"), 0u);
}

TEST_F(Turns, ServerAwayNeitherBlocksNorLoses) {
  memory_.Down();
  for (int i = 0; i < 6; ++i) {
    EXPECT_LT(Prompt("go").took_ms, 10'000);  // the time limit of a recall here
    EXPECT_EQ(Bash("error: number " + std::to_string(i) + ";", "t" + std::to_string(i)).status,
              200);
  }
  EXPECT_EQ(Ask("GET", "/v1/status").body["pending"], 7);  // the session and six captures
  Start();                                                 // a new process over the same state.db
  EXPECT_EQ(Ask("GET", "/v1/status").body["accepted"].get<int>(), 8);  // and the interim summary
  memory_.Up();
  ASSERT_TRUE(memory_.WaitForObservations(6));
  ASSERT_TRUE(Drained());
  const auto rows = memory_.With([](StubMemory& stub) { return stub.observations; });
  ASSERT_EQ(rows.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(rows[i]["content"], "error: number " + std::to_string(i) + ";");
  }
  const Json status = Ask("GET", "/v1/status").body;
  EXPECT_EQ(status["accepted"], status["delivered"]);
  EXPECT_EQ(status["dead"], 0);
}

TEST_F(Turns, SlowServerCostsAtMostTheDeadline) {
  Start([](SidecarSettings& settings) { settings.recall_timeout_ms = 100; });
  memory_.With([](StubMemory& stub) { stub.delay_ms = 60'000; });
  auto suspended = [&] {
    return Ask("GET", "/v1/status").body["memory"]["recall_suspended"].get<bool>();
  };
  for (int i = 0; i < 4; ++i) {
    const Reply reply = Prompt("go");
    EXPECT_EQ(reply.status, 200);
    EXPECT_LT(reply.took_ms, 40'000);
  }
  EXPECT_TRUE(suspended());  // after three consecutive timeouts
  memory_.With([](StubMemory& stub) { stub.delay_ms = 0; });
  EXPECT_TRUE(Until([&] { return Prompt("go").status == 200 && !suspended(); }));
}

TEST_F(Turns, FullOutboxRefusesVisiblyAndKeepsNothingOfTheEvent) {
  memory_.Down();
  Start([](SidecarSettings& settings) { settings.outbox.rows = 3; });
  Prompt("go");  // the session needs a row
  EXPECT_EQ(Bash("error: 1", "t1").status, 200);
  EXPECT_EQ(Bash("error: 2", "t2").status, 200);
  const size_t kept = Messages().size();
  const Reply refused = Bash("error: 3", "t3");
  EXPECT_EQ(refused.status, 507);
  EXPECT_EQ(refused.body["code"], "full");
  EXPECT_EQ(Messages().size(), kept);
  EXPECT_EQ(Bash("nothing to remember", "t4").status, 200);
  const Json status = Ask("GET", "/v1/status").body;
  EXPECT_EQ(status["accepted"], 3);
  EXPECT_EQ(status["refused"], 1);
  EXPECT_EQ(
      status["accepted"].get<int>(),
      status["delivered"].get<int>() + status["pending"].get<int>() + status["dead"].get<int>());
}

TEST_F(Turns, PoisonGoesToTheDeadLettersAndBlocksNobody) {
  memory_.With([](StubMemory& stub) { stub.refuse_observations = 422; });
  Prompt("go");
  Bash("error: poison", "t1");
  ASSERT_TRUE(Until([&] { return Ask("GET", "/v1/status").body["dead"] == 1; }));
  memory_.With([](StubMemory& stub) { stub.refuse_observations = 0; });
  Bash("error: good", "t2");
  ASSERT_TRUE(memory_.WaitForObservations(1));
  ASSERT_TRUE(Drained());
  const Json status = Ask("GET", "/v1/status").body;
  EXPECT_EQ(status["dead_by_cause"], (Json{{"422", 1}}));
  EXPECT_EQ(status["dead_letters"][0]["kind"], "observation");
  EXPECT_EQ(memory_.CountCalls("POST /observations"), 2u);  // one try of the refused row
}

TEST_F(Turns, SecretsAreGoneBeforeTheFirstWrite) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  Prompt("use " + secret);
  Bash("error: token " + secret, "t1");
  ASSERT_TRUE(memory_.WaitForObservations(1));
  EXPECT_EQ(Messages().dump().find(secret), std::string::npos);
  memory_.With([&](StubMemory& stub) {
    for (const auto& call : stub.calls) {
      EXPECT_EQ((call.target + call.body).find(secret), std::string::npos);
    }
  });
  running_.reset();
  for (const auto& file : std::filesystem::directory_iterator(directory_.path() + "/state")) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    EXPECT_EQ(bytes.find(secret), std::string::npos) << file.path();
  }
}

TEST_F(Turns, DeniedCallsAreToldWhyAndAudited) {
  directory_.Write(
      "policy.json",
      PolicyText(memory_.url(),
                 {{"toolHooks", {{"blockedCommands", {"rm -rf"}}, {"auditTools", {"bash"}}}}}));
  Start();
  const Reply reply = Hook(
      "PreToolUse",
      {{"tool_name", "Bash"}, {"tool_use_id", "t1"}, {"tool_input", {{"command", "rm -rf /"}}}});
  EXPECT_EQ(reply.body["hookSpecificOutput"]["permissionDecision"], "deny");
  EXPECT_NE(reply.body["hookSpecificOutput"]["permissionDecisionReason"].get<std::string>().find(
                "rm -rf"),
            std::string::npos);
  EXPECT_EQ(memory_.CountCalls("GET /search"), 0u);
}

TEST_F(Turns, ACallThatIsForbiddenByNowIsDeniedThoughItWasAnsweredBefore) {
  const Json call = {
      {"tool_name", "Bash"}, {"tool_use_id", "t1"}, {"tool_input", {{"command", "rm -rf /"}}}};
  const Json audited = {{"toolHooks", {{"auditTools", {"bash"}}}}};
  const auto decision = [&] {
    return base::StringAt(Hook("PreToolUse", call).body,
                          {"hookSpecificOutput", "permissionDecision"});
  };
  directory_.Write("policy.json", PolicyText(memory_.url(), audited));
  Start();
  EXPECT_EQ(decision(), "");
  Json stricter = audited;
  stricter["toolHooks"]["blockedCommands"] = {"rm -rf"};
  directory_.Write("policy.json", PolicyText(memory_.url(), stricter));
  Start();
  EXPECT_EQ(decision(), "deny");
}

TEST_F(Turns, EventsOfManyConversationsAtOnceAllArrive) {
  constexpr int kThreads = 6, kEach = 15;
  std::vector<std::jthread> agents;
  for (int agent = 0; agent < kThreads; ++agent) {
    agents.emplace_back([&, agent] {
      const std::string name = "c" + std::to_string(agent);
      for (int i = 0; i < kEach; ++i) {
        EXPECT_EQ(Bash("error: " + name + " " + std::to_string(i) + ";",
                       name + "-" + std::to_string(i), name)
                      .status,
                  200);
      }
    });
  }
  agents.clear();
  ASSERT_TRUE(memory_.WaitForObservations(kThreads * kEach));
  ASSERT_TRUE(Drained());
  std::map<std::string, int> next;
  for (const Json& row : memory_.With([](StubMemory& stub) { return stub.observations; })) {
    int& number = next[row["session_id"]];
    EXPECT_TRUE(row["content"].get<std::string>().ends_with(" " + std::to_string(number) + ";"));
    ++number;
  }
  EXPECT_EQ(next.size(), static_cast<size_t>(kThreads));
  for (const auto& [session, count] : next) EXPECT_EQ(count, kEach);
}

TEST_F(Turns, WhatIsNoEventIsRefusedAndUnknownEventsAreNot) {
  EXPECT_EQ(Hook("Notification").body, Json::object());
  EXPECT_EQ(Hook("SubagentStop").status, 200);
  EXPECT_EQ(Ask("POST", "/v1/hooks", Json::array()).status, 400);
  EXPECT_EQ(Ask("POST", "/v1/hooks", {{"hook_event_name", "Stop"}}).status, 400);
  EXPECT_EQ(Ask("GET", "/v1/hooks").status, 405);
}

}  // namespace
}  // namespace sidecar
