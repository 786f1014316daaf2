// Shows the memory session of a conversation over restarts, ends and stops, and the transcript that
// the server gets.
#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;
using Turns = SidecarTest;

TEST_F(Turns, RestartContinuesConversationAndSession) {
  Prompt("one");
  const Json before = Ask("GET", "/conversations/current").body;
  Start();
  Prompt("two");
  const Json after = Ask("GET", "/conversations/current").body;
  EXPECT_EQ(after["id"], before["id"]);
  EXPECT_EQ(after["memory_session_id"], before["memory_session_id"]);
  EXPECT_EQ(after["turn"], 2);
  EXPECT_EQ(Messages().size(), 2u);
}

TEST_F(Turns, RepeatedCallIdsLoseNoCapture) {
  Prompt("first");
  Bash("error: one", "1");
  Bash("error: one", "1");  // a repeated event
  Prompt("second");
  Bash("error: two", "1");
  ASSERT_TRUE(memory_.WaitForObservations(2));
  ASSERT_TRUE(Drained());
  EXPECT_EQ(memory_.With([](StubMemory& stub) { return stub.observations.size(); }), 2u);
}

TEST_F(Turns, SessionEndSendsTranscriptAndReuseOpensSuccessor) {
  Prompt("first words");
  Bash("error: x", "t1");
  Hook("Stop", {{"last_assistant_message", "answer"}});
  Prompt("last words");
  const std::string first = Ask("GET", "/conversations/current").body["memory_session_id"];
  Hook("SessionEnd", {{"reason", "other"}});
  EXPECT_EQ(Ask("GET", "/conversations/current").status, 404);
  Prompt("and again");
  const std::string second = Ask("GET", "/conversations/current").body["memory_session_id"];
  EXPECT_NE(second, first);
  Hook("SessionEnd", {{"reason", "other"}});
  Hook("SessionEnd", {{"reason", "other"}});
  ASSERT_TRUE(Drained());
  const auto sessions = memory_.With([](StubMemory& stub) { return stub.sessions; });
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions.at(first)["ended"], (Json{{{"role", "user"}, {"content", "first words"}},
                                               {{"role", "assistant"}, {"content", "answer"}},
                                               {{"role", "user"}, {"content", "last words"}}}));
  EXPECT_EQ(sessions.at(second)["begun"]["predecessor"], first);
  EXPECT_EQ(sessions.at(second)["ended"],
            (Json::array({{{"role", "user"}, {"content", "and again"}}})));
}

TEST_F(Turns, StopSendsInterimSummaryAndKeepsSessionOpen) {
  Prompt("words");
  const std::string session = Ask("GET", "/conversations/current").body["memory_session_id"];
  running_->Stop();
  const auto sessions = memory_.With([](StubMemory& stub) { return stub.sessions; });
  ASSERT_TRUE(sessions.contains(session));
  EXPECT_EQ(sessions.at(session)["interim"][0]["content"], "words");
  EXPECT_FALSE(sessions.at(session).contains("ended"));
}

TEST_F(Turns, AutoSummarizeOffSendsNoTranscript) {
  directory_.Write("policy.json",
                   PolicyText(memory_.url(), {{"memory", {{"autoSummarize", false}}}}));
  Start();
  Prompt("secret words");
  const std::string session = Ask("GET", "/conversations/current").body["memory_session_id"];
  Hook("SessionEnd");
  ASSERT_TRUE(Drained());
  const auto sessions = memory_.With([](StubMemory& stub) { return stub.sessions; });
  EXPECT_EQ(sessions.at(session)["ended"], Json::array());
}

}  // namespace
}  // namespace sidecar
