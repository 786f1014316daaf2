// Shows the routes of the working-memory section: hooks fill it, agents without hooks post it, and
// another pod continues from a snapshot.
#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class TaskRoutesTest : public SidecarTest {
 protected:
  Reply Put(const std::string& route, const Json& body, const std::string& id = "c1") {
    return Ask("PUT", "/conversations/" + id + "/" + route, body);
  }
  std::string Text(const std::string& query = "") {
    return Ask("GET", "/conversations/c1/render" + query).body["text"];
  }
};

TEST_F(TaskRoutesTest, RenderHasTheTaskOfHooksAndTheClosedBlocks) {
  memory_.Down();
  EXPECT_EQ(Ask("GET", "/conversations/c1/render").status, 404);
  EXPECT_EQ(Ask("GET", "/conversations/c1/snapshot").status, 404);
  Prompt("check the disk usage of the server");
  Bash("92%", "t1");
  Hook("Stop", {{"last_assistant_message", "Cleaned the logs."}});
  const Json rendered = Ask("GET", "/conversations/c1/render").body;
  const std::string text = rendered["text"];
  EXPECT_TRUE(text.starts_with("[TASK CONTEXT]\nTask: check the disk usage of the server\n"))
      << text;
  EXPECT_NE(text.find("\n[CONTEXT BLOCKS]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("#0: check the disk usage of the server"), std::string::npos) << text;
  EXPECT_EQ(rendered["suggested_role"], "user");
  EXPECT_EQ(rendered["chars"].get<size_t>(), base::CountCharacters(text));
  EXPECT_LE(base::CountCharacters(Text("?max_chars=40")), 40u);
  EXPECT_EQ(Ask("GET", "/conversations/c1/render?max_chars=100001").status, 400);
}

TEST_F(TaskRoutesTest, AnAgentWithoutHooksTellsWhatItDoes) {
  const Reply told = Put("working", {{"task", "deploy v2"},
                                     {"files_read", {"a.go", "b.go"}},
                                     {"actions", {"go test ./..."}},
                                     {"plan",
                                      {{"goal", "ship"},
                                       {"steps",
                                        {{{"text", "build"}, {"status", "completed"}},
                                         {{"text", "push"}, {"status", "in_progress"}}}}}},
                                     {"budget", {{"used_tokens", 90}, {"window_tokens", 100}}}});
  EXPECT_EQ(told.status, 200);
  Put("working", {{"files_read", {"a.go"}}, {"files_modified", {"c.go"}}});
  Start();
  const Json snapshot = Ask("GET", "/conversations/c1/snapshot").body;
  EXPECT_EQ(snapshot, (Json{{"task", "deploy v2"},
                            {"files_read", {"b.go", "a.go"}},
                            {"files_modified", {"c.go"}},
                            {"plan", told.body["plan"]}}));
  const std::string text = Text();
  for (const char* part : {"Recent: go test ./...\n", "[PLAN]\nGoal: ship\n- completed: build\n",
                           "- in_progress: push\n", "[BUDGET]\nWarning: about 90%"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  EXPECT_EQ(Put("working", {{"files_read", "a.go"}}).status, 400);
  const Reply wrong =
      Put("working", {{"plan", {{"steps", {{{"text", "x"}, {"status", "done"}}}}}}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_NE(wrong.body["error"].get<std::string>().find("status"), std::string::npos);
  EXPECT_EQ(Ask("GET", "/conversations/c1/snapshot").body, snapshot);
}

TEST_F(TaskRoutesTest, ARestoredSnapshotIsOfferedToTheNextPrompt) {
  const Json snapshot = {
      {"task", "migrate the billing tables"},
      {"files_read", {"schema.sql"}},
      {"files_modified", Json::array()},
      {"plan", {{"goal", ""}, {"steps", {{{"text", "copy rows"}, {"status", "pending"}}}}}}};
  const Reply restored = Put("snapshot", snapshot, "new-pod");
  EXPECT_EQ(restored.status, 200);
  EXPECT_EQ(restored.body, snapshot);
  EXPECT_EQ(Ask("GET", "/conversations/new-pod/snapshot").body, snapshot);
  const std::string given = ContextOf(Prompt("go on", "new-pod"));
  EXPECT_NE(given.find("Task: migrate the billing tables\n"), std::string::npos) << given;
  EXPECT_EQ(Ask("GET", "/conversations/new-pod/snapshot").body, snapshot);
  EXPECT_EQ(Put("snapshot", {{"plan", 1}}, "new-pod").status, 400);
}

TEST_F(TaskRoutesTest, NoSecretIsKept) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  Put("working", {{"task", "push with " + secret}, {"actions", {"git push " + secret}}});
  EXPECT_EQ(Text().find(secret), std::string::npos);
  Put("snapshot", {{"task", "push with " + secret}});
  EXPECT_EQ(Text().find(secret), std::string::npos);
}

}  // namespace
}  // namespace sidecar
