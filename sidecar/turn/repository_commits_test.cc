// Shows that a commit whose message only its repository has is a memory, redacted as a command is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sidecar/git/git_fixture.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class RepositoryCommits : public SidecarTest {
 protected:
  void SetUp() override {
    directory_.Write("policy.json",
                     PolicyText(memory_.url(), {{"memory", {{"saveCommits", true}}}}));
    Start();
    Prompt("go");
  }
  // The tool's call of a command that ran.
  void Told(const std::string& command, const std::string& output, const std::string& cwd) {
    Hook("PostToolUse", {{"tool_name", "Bash"},
                         {"tool_use_id", "c" + std::to_string(++calls_)},
                         {"tool_input", {{"command", command}}},
                         {"tool_response", {{"stdout", output}}},
                         {"cwd", cwd}});
  }
  std::vector<Json> Saved(size_t count) {
    EXPECT_TRUE(memory_.WaitForObservations(count));
    EXPECT_TRUE(Drained());
    return memory_.With([](StubMemory& stub) { return stub.observations; });
  }
  GitRepository repository_;
  int calls_ = 0;
};

TEST_F(RepositoryCommits, EditorsFilesAndAmendmentsAreMemories) {
  repository_.Write("app/pool.c", "1");
  std::string output = repository_.Commit("Wait for the pool\n\nProbes fail before it is there.");
  Told("git add -A && git commit", output, repository_.Path());
  repository_.Write("app/pool.h", "1");
  repository_.Run("cd repo && git add -A && git commit -q --amend --no-edit");
  Told("git commit -q --amend --no-edit -a", "", repository_.Path("app"));
  repository_.Write("message", "Drop the old route\n\nNobody calls it.");
  output = repository_.Run("cd repo && git commit --allow-empty -F message");
  Told("cd repo && git commit -F message", output, repository_.Beside(""));
  const auto rows = Saved(3);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["title"], "Wait for the pool");
  EXPECT_EQ(rows[0]["content"], "Probes fail before it is there.\n\nFiles: app/pool.c");
  EXPECT_EQ(rows[0]["source"]["rule"], "commits");
  EXPECT_EQ(rows[1]["content"], "Probes fail before it is there.\n\nFiles: app/pool.c, app/pool.h");
  EXPECT_EQ(rows[1]["topic_key"], rows[0]["topic_key"]);
  EXPECT_EQ(rows[2]["title"], "Drop the old route");
  EXPECT_EQ(rows[2]["content"], "Nobody calls it.");
}

TEST_F(RepositoryCommits, SecretsOfMessagesAndNamesAreRedacted) {
  const std::string secret = "ghp_" + std::string(36, 'a');
  repository_.Write("keys/" + secret, "1");
  const std::string output =
      repository_.Commit("Rotate the token\n\nIt was " + secret + " before.");
  Told("git commit", output, repository_.Path());
  const auto rows = Saved(1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["title"], "Rotate the token");
  EXPECT_EQ(rows[0].dump().find(secret), std::string::npos) << rows[0];
  EXPECT_NE(rows[0]["content"].get<std::string>().find("Files: keys/"), std::string::npos);
}

TEST_F(RepositoryCommits, WithoutItsRepositoryACommitIsWhatTheCommandSays) {
  Told("git commit -m 'Add a route'", "[main 1a2b3c4] Add a route\n create mode 100644 a.c\n",
       "/nowhere/at/all");
  repository_.Write("b.h", "1");
  repository_.Commit("Add a pool");
  Told("git commit -m 'Add a pool' b.c", "", repository_.Path().substr(1));  // from where?
  const auto rows = Saved(2);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["content"], "Files: a.c");
  EXPECT_EQ(rows[1]["content"], "Files: b.c");
}

}  // namespace
}  // namespace sidecar
