// Shows an agent's checkpoints: without the server, over restarts, after damage the last sound one.
#include <gtest/gtest.h>

#include "lib/base/text/digest.h"
#include "lib/sqlite/database.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class CheckpointRoutesTest : public SidecarTest {
 protected:
  static constexpr const char* kPath = "/conversations/c1/checkpoint";
  Reply Save(int step, Json more = Json::object()) {
    more["step"] = step;
    return Ask("PUT", kPath, more);
  }
  Json Read(const std::string& query = "") { return Ask("GET", kPath + query).body; }
  // Changes the file while the sidecar is stopped, like a faulty disk.
  void Damage(const std::string& sql) {
    running_.reset();
    {
      auto file = sqlite::Database::Open(directory_.path() + "/state/state.db", {});
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_TRUE(file->Execute(sql.c_str()));
    }
    Start();
  }
};

TEST_F(CheckpointRoutesTest, ACrashedAgentFindsStepMessagesMemoryAndToolState) {
  memory_.Down();
  EXPECT_EQ(Ask("GET", kPath).status, 404);
  Prompt("migrate 60 tables");
  Bash("table 40", "t40");
  const Reply saved = Save(40, {{"memory", {{"done", 40}}}, {"tool_state", {{"cwd", "/srv"}}}});
  ASSERT_EQ(saved.status, 200) << saved.body;
  EXPECT_EQ(saved.body["generation"], 1);
  EXPECT_EQ(saved.body["step"], 40);
  EXPECT_EQ(saved.body["sha256"],
            base::Sha256Hex(R"({"memory":{"done":40},"messages_to":3,"step":40,)"
                            R"("tool_state":{"cwd":"/srv"}})"));
  const Json messages = Messages();
  Bash("after the checkpoint", "t41");
  Start();
  const Json read = Read();
  EXPECT_EQ(read["step"], 40);
  EXPECT_EQ(read["messages"], messages);
  EXPECT_EQ(read["memory"], (Json{{"done", 40}}));
  EXPECT_EQ(read["tool_state"], (Json{{"cwd", "/srv"}}));
  for (const char* same : {"generation", "bytes", "sha256"})
    EXPECT_EQ(read[same], saved.body[same]) << same;
  EXPECT_TRUE(read.contains("saved_at"));
  EXPECT_FALSE(read.contains("skipped"));
}

TEST_F(CheckpointRoutesTest, MessagesOfTheClientsOwnFormComeBackAsTheyWere) {
  const std::string large(300'000, 'x');  // over the limit of a tool's output
  const Json messages = {{{"role", "user"}, {"content", {{{"type", "text"}, {"text", large}}}}}};
  ASSERT_EQ(Save(1, {{"messages", messages}}).status, 200);
  EXPECT_EQ(Read()["messages"], messages);
}

TEST_F(CheckpointRoutesTest, ThreeAreKeptAndEachCanBeAskedFor) {
  for (int step = 1; step <= 5; ++step) Save(step);
  const Json list = Ask("GET", "/conversations/c1/checkpoints").body["checkpoints"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["step"], 5);
  EXPECT_EQ(list[2]["generation"], 3);
  EXPECT_EQ(Read("?generation=4")["step"], 4);
  EXPECT_EQ(Ask("GET", "/conversations/c1/checkpoint?generation=2").status, 404);
  EXPECT_EQ(Ask("GET", "/conversations/c1/checkpoint?generation=x").status, 400);
  EXPECT_EQ(Ask("GET", "/conversations/c1/checkpoint?cursor=2").status, 400);
  EXPECT_EQ(Ask("GET", "/conversations/other/checkpoints").status, 404);
}

TEST_F(CheckpointRoutesTest, ACorruptOneIsSkippedAndNamed) {
  for (int step = 1; step <= 3; ++step) Save(step);
  Damage("UPDATE checkpoints SET document = replace(document, '3', '4') WHERE generation = 3");
  const Json read = Read();
  EXPECT_EQ(read["step"], 2);
  ASSERT_EQ(read["skipped"].size(), 1u);
  EXPECT_EQ(read["skipped"][0]["generation"], 3);
  Damage("UPDATE checkpoints SET document = substr(document, 1, 9)");
  const Reply none = Ask("GET", kPath);
  EXPECT_EQ(none.status, 404);
  EXPECT_NE(none.body["error"].get<std::string>().find("generation 1: "), std::string::npos);
}

TEST_F(CheckpointRoutesTest, OneWhoseMessagesTheDiskChangedIsSkippedToo) {
  Prompt("one");
  Save(1);
  Bash("two", "t1");
  Save(2);
  Damage("UPDATE messages SET content = 'twx' WHERE content = 'two'");
  const Json read = Read();
  EXPECT_EQ(read["step"], 1);
  EXPECT_EQ(read["messages"].size(), 1u);
  EXPECT_EQ(read["skipped"][0]["generation"], 2);
}

TEST_F(CheckpointRoutesTest, ManyMessagesComeInPagesOfOneGeneration) {
  for (int i = 0; i < 3; ++i) {
    Json messages = Json::array();
    for (int n = 0; n < 24; ++n)
      messages.push_back({{"role", "assistant"}, {"content", std::string(190'000, 'a')}});
    ASSERT_EQ(Ask("POST", "/conversations/c1/messages", {{"messages", messages}}).status, 200);
  }
  Save(1, {{"memory", {{"notes", std::string(4 << 20, 'n')}}}});
  const Json first = Read();
  ASSERT_TRUE(first.contains("next_cursor")) << first.size();
  Save(2);
  size_t messages = first["messages"].size();
  std::string cursor = first["next_cursor"];
  for (int page = 0; page < 5 && !cursor.empty(); ++page) {
    const Json next = Read("?generation=1&cursor=" + cursor);
    EXPECT_LE(next.dump().size(), 8u << 20);
    EXPECT_FALSE(next.contains("memory"));
    messages += next["messages"].size();
    cursor = next.value("next_cursor", "");
  }
  EXPECT_EQ(messages, 72u);
}

TEST_F(CheckpointRoutesTest, NoSecretIsKeptAndWrongBodiesChangeNothing) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  Save(1, {{"tool_state", {{"env", "TOKEN=" + secret}}},
           {"messages", {{{"role", "user"}, {"content", "push with " + secret}}}}});
  EXPECT_EQ(Read().dump().find(secret), std::string::npos);
  EXPECT_EQ(Save(2, {{"memory", 1}}).status, 400);
  EXPECT_EQ(Save(-2).status, 400);
  EXPECT_EQ(Save(2, {{"ttl", 0}}).status, 400);
  EXPECT_EQ(Save(2, {{"memory", {{"x", std::string(7'400'000, 'x')}}}}).status, 413);
  EXPECT_EQ(Read()["step"], 1);
}

}  // namespace
}  // namespace sidecar
