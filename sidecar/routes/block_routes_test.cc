// Shows the routes of blocks: hooks open and close blocks, the routes answer with the contract's
// bodies, and work without the memory server.
#include <gtest/gtest.h>

#include "lib/base/text/text.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class BlockRoutes : public SidecarTest {
 protected:
  Json Blocks() { return Ask("GET", "/conversations/c1/blocks").body["blocks"]; }
  void Turn(const std::string& prompt, const std::string& answer, int calls = 1) {
    Prompt(prompt);
    for (int i = 0; i < calls; ++i) Bash("output", prompt + std::to_string(i));
    Hook("Stop", {{"last_assistant_message", answer}});
  }
  Json Say(const char* role, const std::string& content) {
    return Ask("POST", "/conversations/c1/messages",
               {{"messages", {{{"role", role}, {"content", content}}}}})
        .body;
  }
};

TEST_F(BlockRoutes, HooksOpenAndCloseThemWithoutTheAgentsHelp) {
  memory_.Down();
  Prompt("check disk usage");
  Bash("92%", "t1");
  EXPECT_EQ(Blocks()[0]["state"], "open");
  EXPECT_GT(Blocks()[0]["tokens"], 0);
  Hook("Stop", {{"last_assistant_message", "Cleaned the logs."}});
  const Json block = Blocks()[0];
  EXPECT_EQ(block["state"], "closed");
  EXPECT_EQ(block["query"], "check disk usage");
  EXPECT_EQ(block["tools"].size(), 1U);
  EXPECT_EQ(block["from"], 1);
  EXPECT_EQ(block["to"], 4);
  EXPECT_NE(block["summary"].get<std::string>().find("x1 → \"Cleaned the logs.\""),
            std::string::npos);
  Prompt("and now");
  EXPECT_EQ(Blocks().size(), 2U);
  Hook("SessionEnd", {{"reason", "exit"}});
  EXPECT_EQ(Blocks()[1]["state"], "closed");
}

TEST_F(BlockRoutes, AStopWithoutWordsClosesToo) {
  Prompt("one");
  Hook("Stop");
  EXPECT_EQ(Blocks()[0]["state"], "closed");
  EXPECT_EQ(Hook("Stop", Json::object(), "nobody").status, 200);
  EXPECT_EQ(Ask("GET", "/conversations/nobody/blocks").status, 404);
}

TEST_F(BlockRoutes, AnOpenBlockGoesOnAfterARestart) {
  Prompt("one");
  Start();
  Bash("x", "t1");
  Hook("Stop", {{"last_assistant_message", "done"}});
  ASSERT_EQ(Blocks().size(), 1U);
  EXPECT_EQ(Blocks()[0]["to"], 4);
}

TEST_F(BlockRoutes, PrepareAppendCloseAndReadAsTheContractSays) {
  EXPECT_EQ(Ask("POST", "/conversations/c1/blocks/close", Json::object()).status, 404);
  Reply made = Ask("POST", "/conversations/c1/blocks", Json::object());
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body, (Json{{"block", 0}}));
  Say("user", "hello");
  Say("assistant", "hi");
  const Json before = Messages();
  const Reply closed = Ask("POST", "/conversations/c1/blocks/close", {{"outcome", "greeted"}});
  EXPECT_EQ(closed.status, 200);
  EXPECT_EQ(closed.body["summary"], "hello → \"greeted\"");
  EXPECT_EQ(Ask("POST", "/conversations/c1/blocks/close", Json::object()).status, 409);
  EXPECT_EQ(Ask("GET", "/conversations/c1/blocks/0").body["messages"], before);
  EXPECT_EQ(Ask("GET", "/conversations/c1/blocks/0?form=compact").body["messages"], before);
  const Reply none = Ask("GET", "/conversations/c1/blocks/7");
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(none.body["error"], "Block not found");
  EXPECT_EQ(Ask("GET", "/conversations/c1/blocks/x").status, 404);
  EXPECT_EQ(Ask("GET", "/conversations/c1/blocks/0?form=short").status, 400);
  EXPECT_EQ(Ask("POST", "/conversations/c1/blocks/close", {{"outcome", 1}}).status, 400);
  EXPECT_EQ(Ask("POST", "/conversations/c1/blocks", Json::object()).body["block"], 1);
  EXPECT_EQ(Ask("GET", "/conversations/c1/blocks/1?form=compact").status, 409);
}

TEST_F(BlockRoutes, TheContextHasClosedBlocksCompactAndTheOpenOneWhole) {
  Turn("first", "done first", 10);
  Turn("second", "done second", 10);
  Prompt("third");
  Bash("whole output", "t9");
  const Json all = Ask("GET", "/conversations/c1/context?max_tokens=100000").body;
  EXPECT_EQ(all["blocks"], (Json{0, 1}));
  EXPECT_EQ(all["left_out"], Json::array());
  ASSERT_EQ(all["messages"].size(), 3U + 3U + 3U);
  EXPECT_EQ(all["messages"][1]["role"], "user");
  EXPECT_TRUE(all["messages"][1]["content"].get<std::string>().starts_with("<prior_tool_use>\n"));
  EXPECT_EQ(all["messages"][8]["content"], "whole output");
  EXPECT_LT(all["tokens"].get<int64_t>(), 100'000 - 4'096);
  const Json alone = Ask("GET", "/conversations/c1/context?max_tokens=100").body;
  EXPECT_LT(alone["budget"].get<int64_t>(), 0);
  EXPECT_EQ(alone["messages"].size(), 3U);
  EXPECT_EQ(alone["left_out"], (Json{0, 1}));
  EXPECT_EQ(Ask("GET", "/conversations/c1/context").status, 400);
  EXPECT_EQ(Ask("GET", "/conversations/c2/context?max_tokens=1").status, 404);
}

TEST_F(BlockRoutes, ALongBlockIsReadByPages) {
  Prompt("go");
  for (int i = 0; i < 20; ++i) Bash("output " + std::to_string(i), "t" + std::to_string(i));
  std::string target = "/conversations/c1/blocks/0?limit=15";
  size_t seen = 0;
  for (int page = 0; page < 3; ++page) {
    const Json body = Ask("GET", target).body;
    seen += body["messages"].size();
    EXPECT_EQ(body.contains("next_cursor"), page < 2);
    if (page < 2) {
      const Json& next = body["next_cursor"];
      target = "/conversations/c1/blocks/0?limit=15&cursor=" +
               (next.is_string() ? next.get<std::string>() : next.dump());
    }
  }
  EXPECT_EQ(seen, 41U);
}

TEST_F(BlockRoutes, ASecretInAnOutcomeIsNotStored) {
  Say("user", "hello");
  const Json closed = Ask("POST", "/conversations/c1/blocks/close",
                          {{"outcome",
                            "the key is AK"
                            "IAIOSFODNN7EXAMPLE"}})
                          .body;
  EXPECT_EQ(closed["summary"].get<std::string>().find("AKIAIOSFODNN7"), std::string::npos);
}

}  // namespace
}  // namespace sidecar
