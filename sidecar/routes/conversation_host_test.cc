// Shows the routes of working memory: append, read, trim, end, all without the memory server.
#include "sidecar/routes/conversation_host.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_clock.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

using ConversationRoutesTest = SidecarTest;

Json Said(const char* role, const std::string& content) {
  return {{"role", role}, {"content", content}};
}

TEST_F(ConversationRoutesTest, AppendedMessagesAreCountedAndComeBackExactly) {
  memory_.Down();
  const std::string odd = "a\n\tb \x01 日本語 🚀 \"quoted\"";
  const Reply first = Ask("POST", "/conversations/k/messages",
                          {{"messages", {Said("system", "rules"), Said("user", odd)}}});
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, (Json{{"count", 2}, {"last", 2}}));
  EXPECT_EQ(Ask("POST", "/conversations/k/messages", {{"messages", {Said("assistant", "x")}}})
                .body["last"],
            3);
  Start();
  const Json body = Ask("GET", "/conversations/k/messages").body;
  EXPECT_EQ(body["conversation"], "k");
  EXPECT_FALSE(body["memory_session_id"].get<std::string>().empty());
  ASSERT_EQ(body["messages"].size(), 3u);
  EXPECT_EQ(body["messages"][1]["content"], odd);
}

TEST_F(ConversationRoutesTest, SecretsOfMessagesAndFieldsAreRedactedUnlessThePolicyKeepsThem) {
  const std::string secret =
      "AK"
      "IAIOSFODNN7EXAMPLE";
  const auto stored = [&](const std::string& id) {
    Json said = Said("assistant", "the key is " + secret);
    said["tool_calls"] = {
        {{"id", "t1"},
         {"type", "function"},
         {"function", {{"name", "exec"}, {"arguments", R"({"command": "use )" + secret + "\"}"}}}}};
    EXPECT_EQ(
        Ask("POST", "/conversations/" + id + "/messages",
            {{"messages", {said, {{"role", "tool"}, {"content", secret}, {"tool_call_id", "t1"}}}}})
            .status,
        200);
    EXPECT_EQ(
        Ask("PUT", "/working-memory/" + id, {{"fields", {{"scratchpad", "key " + secret}}}}).status,
        200);
    const Json messages = Ask("GET", "/conversations/" + id + "/messages").body["messages"];
    std::string all = Ask("GET", "/working-memory/" + id).body["fields"]["scratchpad"];
    for (const char* part : {"content", "tool_calls"}) all += base::DumpJson(messages[0][part]);
    all += base::DumpJson(messages[1]["content"]);
    size_t count = 0;
    for (size_t at = all.find(secret); at != all.npos; at = all.find(secret, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(stored("redacted"), 0u);
  directory_.Write(
      "policy.json",
      PolicyText(memory_.url(), {{"memory", {{"redaction", {{"workingMemory", false}}}}}}));
  Start();
  EXPECT_EQ(stored("kept"), 4u);
}

TEST_F(ConversationRoutesTest, MaxTokensKeepsTheSystemMessageAndTheNewest) {
  Json messages = {Said("system", "rules")};
  for (int i = 0; i < 50; ++i)
    messages.push_back(Said("user", "message number " + std::to_string(i)));
  Ask("POST", "/conversations/k/messages", {{"messages", messages}});
  const Json kept = Ask("GET", "/conversations/k/messages?max_tokens=40").body["messages"];
  ASSERT_GE(kept.size(), 3u);
  EXPECT_LT(kept.size(), 12u);
  EXPECT_EQ(kept[0]["role"], "system");
  EXPECT_EQ(kept.back()["content"], "message number 49");
  EXPECT_EQ(Ask("GET", "/conversations/k/messages?max_tokens=x").status, 400);
}

TEST_F(ConversationRoutesTest, AnAnswerHasEightMebibytesAtMostAndSaysWhereItGoesOn) {
  const Json batch = {{"messages", std::vector<Json>(25, Said("user", std::string(100'000, 'x')))}};
  for (int i = 0; i < 4; ++i) Ask("POST", "/conversations/k/messages", batch);
  std::string cursor;
  int64_t seen = 0;
  do {
    const Json page =
        Ask("GET", "/conversations/k/messages?limit=60&cursor=" + (cursor.empty() ? "1" : cursor))
            .body;
    EXPECT_LE(page.dump().size(), 8u << 20);
    for (const Json& message : page["messages"]) EXPECT_EQ(message["sequence"], ++seen);
    EXPECT_EQ(page["last"], 100);
    EXPECT_EQ(page.contains("partial"), seen < 100);
    cursor = page.value("next_cursor", "");
  } while (!cursor.empty());
  EXPECT_EQ(seen, 100);
  const Json whole = Ask("GET", "/conversations/k/messages").body;
  EXPECT_EQ(whole["messages"].size(), 83u) << "as many as fit";
  EXPECT_EQ(whole["next_cursor"], "84");
  const Json trimmed = Ask("GET", "/conversations/k/messages?max_tokens=9000000").body;
  EXPECT_EQ(trimmed["messages"].back()["sequence"], 100);
  EXPECT_EQ(trimmed["partial"], true);
  EXPECT_LE(trimmed.dump().size(), 8u << 20);
  const Json newest = Ask("GET", "/conversations/k/messages?newest=3&to=50").body;
  EXPECT_EQ(newest["messages"].size(), 3u);
  EXPECT_EQ(newest["messages"][0]["sequence"], 48);
  EXPECT_FALSE(newest.contains("partial"));
  const Reply bad = Ask("GET", "/conversations/k/messages?cursor=%2A%2A");
  EXPECT_EQ(bad.status, 400);
  EXPECT_NE(bad.body["error"].get<std::string>().find("cursor"), std::string::npos);
  EXPECT_EQ(Ask("GET", "/conversations/k/messages?max_tokens=5&limit=5").status, 400);
}

TEST_F(ConversationRoutesTest, TheListIsPagedAndNeverLargerThanAnAnswer) {
  const std::string note(900'000, 'x');
  for (int i = 0; i < 11; ++i) {
    const std::string id = "c" + std::to_string(i);
    Prompt("hello", id);
    Ask("PUT", "/conversations/" + id + "/state", {{"note", note}});
  }
  const Json first = Ask("GET", "/conversations").body;
  EXPECT_LE(first.dump().size(), 8u << 20);
  EXPECT_EQ(first["partial"], true);
  const Json rest =
      Ask("GET", "/conversations?cursor=" + first["next_cursor"].get<std::string>()).body;
  EXPECT_FALSE(rest.contains("partial"));
  EXPECT_EQ(first["conversations"].size() + rest["conversations"].size(), 11u);
  EXPECT_EQ(first["conversations"][0]["id"], "c10");
  EXPECT_EQ(rest["conversations"].back()["id"], "c0");
}

TEST_F(ConversationRoutesTest, ListCurrentAndState) {
  EXPECT_EQ(Ask("GET", "/conversations/current").status, 404);
  EXPECT_EQ(Ask("GET", "/conversations/none/messages").status, 404);
  EXPECT_EQ(Ask("PUT", "/conversations/none/state", {{"state", "open"}}).status, 404);
  Prompt("a", "one");
  Prompt("b", "two");
  EXPECT_EQ(Ask("GET", "/conversations/current").body["id"], "two");
  EXPECT_EQ(Ask("PUT", "/conversations/two/state", {{"state", "ended"}}).body["state"], "ended");
  EXPECT_EQ(Ask("GET", "/conversations/current").body["id"], "one");
  const Json open = Ask("GET", "/conversations?state=open").body["conversations"];
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0]["id"], "one");
  EXPECT_EQ(Ask("PUT", "/conversations/one/state", {{"state", "asleep"}}).status, 400);
  const Json kept = Ask("PUT", "/conversations/one/state", {{"toolMeta", {{"t1", "{}"}}}}).body;
  EXPECT_EQ(kept["toolMeta"]["t1"], "{}");
  EXPECT_EQ(Ask("GET", "/conversations/current").body["toolMeta"]["t1"], "{}");
}

// The checkpoint of the AgentOps runtime: messages, session, toolMeta, delegation, in one commit.
TEST_F(ConversationRoutesTest, ACheckpointIsOneCommitAndSurvivesARestart) {
  const Json call = {{"role", "assistant"}, {"tool_calls", {{{"id", "t1"}, {"type", "function"}}}}};
  const Json result = {{"role", "tool"}, {"tool_call_id", "t1"}, {"content", "42"}};
  const Json meta = {{"t1", {{"client", "web"}, {"shown", true}}}};
  const Json groups = {{"groups", {{{"id", "g1"}, {"waiting_for", {"reviewer"}}}}}};
  Ask("POST", "/conversations/k/messages",
      {{"messages", {Said("user", "go"), call}}, {"toolMeta", meta}, {"delegation", groups}});
  Ask("POST", "/conversations/k/messages", {{"messages", {result}}, {"toolMeta", {{"t2", "{}"}}}});
  const Json before = Ask("GET", "/conversations/k/messages").body;
  Start();
  const Json body = Ask("GET", "/conversations/k/messages").body;
  EXPECT_EQ(body, before);
  ASSERT_EQ(body["messages"].size(), 3u);
  EXPECT_EQ(body["messages"][1]["tool_calls"][0]["id"], "t1");
  EXPECT_EQ(body["messages"][2]["tool_call_id"], "t1");
  EXPECT_EQ(body["fields"]["toolMeta"]["t1"], meta["t1"]);
  EXPECT_EQ(body["fields"]["toolMeta"]["t2"], "{}");
  EXPECT_EQ(body["fields"]["delegation"], groups);
  // A refused request stores nothing.
  EXPECT_EQ(Ask("POST", "/conversations/k/messages",
                {{"messages", {Said("user", "x")}}, {"toolMeta", "no object"}})
                .status,
            400);
  EXPECT_EQ(Ask("POST", "/conversations/k/messages",
                {{"messages", {Said("user", "x")}},
                 {"delegation", std::vector<std::string>(20, std::string(100'000, 'x'))}})
                .status,
            413);
  EXPECT_EQ(Ask("GET", "/conversations/k/messages").body, before);
}

TEST_F(ConversationRoutesTest, WhatWasNotUsedForItsTtlIsHiddenUntilItIsUsedAgain) {
  testing::FakeClock clock;
  clock_ = &clock;
  Start([](SidecarSettings& settings) { settings.conversation_ttl_ms = 3'600'000; });
  Prompt("one", "k");
  clock.Advance(3'599'999);
  EXPECT_EQ(Ask("GET", "/conversations/k/messages").status, 200);
  clock.Advance(1);
  EXPECT_EQ(Ask("GET", "/conversations/k/messages").status, 404);
  EXPECT_EQ(Ask("GET", "/conversations/current").status, 404);
  EXPECT_EQ(Ask("GET", "/conversations").body["conversations"].size(), 0u);
  Prompt("two", "k");
  EXPECT_EQ(Ask("GET", "/conversations/k/messages").body["messages"].size(), 2u);
  running_.reset();  // before the clock
}

TEST_F(ConversationRoutesTest, BadMessagesAreRefusedWhole) {
  EXPECT_EQ(Ask("POST", "/conversations/k/messages",
                {{"messages", {Said("user", "ok"), Said("robot", "no")}}})
                .status,
            400);
  EXPECT_EQ(Ask("POST", "/conversations/k/messages", Json::object()).status, 400);
  EXPECT_EQ(Ask("GET", "/conversations/k/messages").status, 404);
}

}  // namespace
}  // namespace sidecar
