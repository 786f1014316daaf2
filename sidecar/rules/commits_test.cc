// Shows what is saved of the commits that agents make, in the ways in which they make them.
#include "sidecar/rules/commits.h"

#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

// "title | content" of each commit, joined.
std::string Saved(const std::string& command, const std::string& output = "") {
  std::vector<std::string> saved;
  for (const Capture& commit : CommitsOf({{"command", command}}, output))
    saved.push_back(commit.title + " | " + commit.content);
  return base::Join(saved, " || ");
}

TEST(Commits, TheMessageIsTitleAndContent) {
  const std::pair<const char*, const char*> commands[] = {
      {"git commit -m 'Add a route'", "Add a route | Add a route"},
      {"git add -A && git commit -q -m 'Add a route'", "Add a route | Add a route"},
      {"git commit -qam \"Add a route\"", "Add a route | Add a route"},
      {"git commit -m'Add a route'", "Add a route | Add a route"},
      {"git commit --message='Add a route' --no-verify", "Add a route | Add a route"},
      {"git commit -m 'Use boosting' -m 'It explains more.' -m 'Twice.'",
       "Use boosting | It explains more.\n\nTwice."},
      {"git commit -m 'Add a route\n\nProbes fail\nafter two.'",
       "Add a route | Probes fail\nafter two."},
      {"git commit -m $'Add a route\\n\\nIt is fast.'", "Add a route | It is fast."},
      {"git commit -q -F - <<'MSG'\nAwait it\n\nIt is async.\nMSG", "Await it | It is async."},
      {"git commit --file=- <<MSG\nAwait it\n\nIt is async.\nMSG\n", "Await it | It is async."},
      {"cat <<'E' | git commit -F -\nAwait it\n\nIt is async.\nE", "Await it | It is async."},
      {"cat > /tmp/m <<'E'\nAwait it\n\nIt is async.\nE\ngit commit -F /tmp/m",
       "Await it | It is async."},
      {"git add -A && git commit -m \"$(cat <<'EOF'\nfix: await it\n\nIt is async.\n\n"
       "\U0001F916 Generated with a tool\nCo-Authored-By: A <a@example.com>\nEOF\n)\" && git log",
       "fix: await it | It is async."},
      {"cd app && GIT_EDITOR=true git -C sub -c user.name=A commit --author 'B <b@c>' -m 'Move it'",
       "Move it | Move it"},
      {"sudo -u dev git commit -m 'Move it'", "Move it | Move it"},
      {"bash -lc \"git commit -m 'Move it'\"", "Move it | Move it"},
      {"git commit -S -sm 'Move it' -- a.c b.c", "Move it | Files: a.c, b.c"},
      {"git add src/a.c 'b c.h' -v && git commit -m 'Move it' -m Why.",
       "Move it | Why.\n\nFiles: src/a.c, b c.h"},
      {"git commit -m 'Move it'; git add x && git commit -m 'Drop x'",
       "Move it | Move it || Drop x | Files: x"},
      {"git commit -m 'Move it' && git commit --amend -m 'Move both'", "Move both | Move both"},
      {"git commit -m 'Zeilen für Täler'", "Zeilen für Täler | Zeilen für Täler"},
  };
  for (const auto& [command, saved] : commands) EXPECT_EQ(Saved(command), saved) << command;
}

TEST(Commits, WhatSaysNothingOrCommitsNothingIsNotSaved) {
  const char* commands[] = {"git commit -m wip",
                            "git commit -m 'WIP!'",
                            "git commit -m fix",
                            "git commit -m .",
                            "git commit -m ''",
                            "git commit -m 'fix tests'",
                            "git commit -m 'chore: update'",
                            "git commit -m 'Initial commit'",
                            "git commit -m 'more changes'",
                            "git commit -m '42'",
                            "git commit -m 'Zwischenstand'",
                            "git commit -m 'Merge branch main into x'",
                            "git commit --fixup HEAD~1",
                            "git commit --dry-run -m 'Add a route'",
                            "git commit --amend --no-edit",
                            "git commit",
                            "git commit -F notes.txt",
                            "git commit -m \"$MESSAGE\"",
                            "git commit-tree -m 'Add a route' x",
                            "git log --grep 'git commit -m x'",
                            "echo git commit -m 'Add a route'",
                            "echo \"git commit -m 'Add a route'\"",
                            "# git commit -m 'Add a route'",
                            "grep -rn 'commit' .",
                            "git commit -m 'Add",
                            "git help commit",
                            "git show commit",
                            "cat <<'E'\ngit commit -m 'Add a route'\nE"};
  for (const char* command : commands) EXPECT_EQ(Saved(command), "") << command;
  EXPECT_EQ(Saved("git commit -m 'Add a route' || true",
                  "On branch main\nnothing to commit, working tree clean"),
            "");
  EXPECT_EQ(Saved("git commit -m fix -m 'The route waits for the pool.'"),
            "fix | The route waits for the pool.");
}

TEST(Commits, OutputTellsWhatTheCommandLeavesOpen) {
  const std::string output =
      "[main (root-commit) 1a2b3c4] Release 4.2\n 2 files changed, 3 insertions(+)\n"
      " create mode 100644 VERSION\n create mode 100644 notes/a b.md\n";
  EXPECT_EQ(Saved("git commit -m \"Release $VERSION\"", output),
            "Release 4.2 | Files: VERSION, notes/a b.md");
  EXPECT_EQ(Saved("git add VERSION && git commit -m 'Release 4.2' -m Why.", output),
            "Release 4.2 | Why.\n\nFiles: VERSION, notes/a b.md");
  EXPECT_EQ(Saved("git commit -m 'Move it'", "[main 1a2b3c4] SHOP-7 Move it"),
            "SHOP-7 Move it | SHOP-7 Move it");
  EXPECT_EQ(Saved("make release", output), "") << "no call of git is known";
}

TEST(Commits, CallsOfOtherRuntimesAndLongMessages) {
  EXPECT_EQ(CommitsOf({{"command", {"bash", "-lc", "git commit -m 'Move it'"}}}, "").size(), 1u);
  EXPECT_EQ(CommitsOf({{"cmd", "git commit -m 'Move it'"}}, "").size(), 1u);
  EXPECT_EQ(CommitsOf({{"file_path", "x"}, {"content", "git commit -m 'Move it'"}}, "").size(), 0u);
  EXPECT_EQ(CommitsOf("git commit -m 'Move it'", "").size(), 0u);
  const auto long_ones = CommitsOf({{"command", "git commit -m '" + std::string(9'000, 'x') +
                                                    "\n\n" + std::string(9'000, 'y') + "'"}},
                                   "");
  ASSERT_EQ(long_ones.size(), 1u);
  EXPECT_LE(long_ones[0].title.size(), 210u);
  EXPECT_LE(long_ones[0].content.size(), kMostCommitCharacters + 10);
}

class CommitTurns : public SidecarTest {
 protected:
  void With(const Json& memory) {
    directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", memory}}));
    Start();
  }
};

TEST_F(CommitTurns, AnAmendmentReplacesTheMemoryOfItsCommit) {
  With({{"saveCommits", true}});
  const auto run = [&](const std::string& command, const std::string& id) {
    return Hook("PostToolUse", {{"tool_name", "Bash"},
                                {"tool_use_id", id},
                                {"tool_input", {{"command", command}}},
                                {"tool_response", {{"stdout", ""}}}});
  };
  Prompt("go");
  run("git commit -qm 'Add a route' -m 'Probes need it.'", "c1");
  run("ls", "c2");
  run("git commit --amend -qm 'Add the route /health' -m 'Probes need it.'", "c3");
  run("git commit --amend -qm 'Add /health' -m 'Probes need it.'", "c4");
  run("git commit -qm 'Drop the old route'", "c5");
  ASSERT_TRUE(memory_.WaitForObservations(4));
  const auto rows = memory_.With([](StubMemory& stub) { return stub.observations; });
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["title"], "Add a route");
  EXPECT_EQ(rows[0]["content"], "Probes need it.");
  EXPECT_EQ(rows[0]["type"], "change");
  EXPECT_EQ(rows[0]["source"]["rule"], "commits");
  EXPECT_EQ(rows[0]["source"]["origin"], "rule");
  EXPECT_EQ(rows[1]["topic_key"], rows[0]["topic_key"]);
  EXPECT_EQ(rows[2]["topic_key"], rows[0]["topic_key"]);
  EXPECT_NE(rows[3]["topic_key"], rows[0]["topic_key"]);
}

TEST_F(CommitTurns, NothingIsSavedOfFailedCallsAndWithoutTheField) {
  With({{"saveCommits", true}});
  Prompt("go");
  Hook("PostToolUseFailure", {{"tool_name", "Bash"},
                              {"tool_use_id", "f1"},
                              {"tool_input", {{"command", "git commit -m 'Add a route'"}}},
                              {"error", "exit 1"}});
  With(Json::object());
  Hook("PostToolUse", {{"tool_name", "Bash"},
                       {"tool_use_id", "f2"},
                       {"tool_input", {{"command", "git commit -m 'Add a route'"}}},
                       {"tool_response", "done"}});
  ASSERT_TRUE(Drained());
  EXPECT_EQ(memory_.With([](StubMemory& stub) { return stub.observations.size(); }), 0u);
}

}  // namespace
}  // namespace sidecar
