// Shows what is saved of the commits that agents make, in the ways in which they make them.
#include "sidecar/rules/commits.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

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

// The repository's commits by directory, newest first; each query is noted.
struct Repositories {
  std::map<std::string, std::vector<std::pair<std::string, RepositoryCommit>>> commits = {};
  std::vector<std::string> asked = {};

  std::optional<RepositoryCommit> operator()(const CommitQuery& query) {
    asked.push_back(query.directory);
    size_t newer = 0;
    for (const auto& [hash, commit] : commits[query.directory])
      if (query.hash.empty() ? newer++ == query.back : hash.starts_with(query.hash)) return commit;
    return std::nullopt;
  }
};

std::string SavedOf(const std::string& command, const std::string& output, Repositories of) {
  std::vector<std::string> saved;
  for (const Capture& commit : CommitsOf({{"command", command}}, output, std::ref(of)))
    saved.push_back(commit.title + " | " + commit.content + (commit.amends ? " (amends)" : ""));
  return base::Join(saved, " || ");
}

TEST(Commits, TheRepositoryTellsMessageAndFiles) {
  const std::vector<std::string> files = {"a.c", "b.c"};
  const RepositoryCommit edited{
      "Add a route\n\nProbes need it.\n\nSigned-off-by: A\n", files, {}, 3};
  const std::string saved = "Add a route | Probes need it.\n\nFiles: a.c, b.c";
  const std::pair<const char*, const char*> hashed[] = {
      {"git commit", "[main 1a2b3c4] Add a route\n 2 files changed"},
      {"git commit -a", "[main (root-commit) 1a2b3c4] Add a route"},
      {"git add -A && git commit -F notes.txt", "[detached HEAD 1a2b3c4] Add a route"},
      {"git commit -m \"$MESSAGE\"", "[main 1a2b3c4] Add a route"},
      {"git commit -m 'Add a route' other.c", "[main 1a2b3c4] Add a route"},
      {"git commit -c HEAD~1", "[main 1a2b3c4] Add a route"},
      {"cd /else && git commit", "[main 1a2b3c4] Add a route"},
      {"cd \"$(git rev-parse --show-toplevel)\" && git commit", "[main 1a2b3c4] Add a route"},
      {"git commit -q", ""},
      {"git commit -qa 2>&1 | tail -3", ""},
      {"git commit -q -m 'Add a route'", ""},
      {"cd app && git commit -q -m 'a route'", ""}};
  for (const auto& [command, output] : hashed)
    EXPECT_EQ(SavedOf(command, output, {{{"", {{"1a2b3c4d", edited}}}}}), saved) << command;
  // An older commit, another one's message, a repository that only the shell knows.
  RepositoryCommit old = edited;
  old.age_s = 3'600;
  EXPECT_EQ(SavedOf("git commit -q || true", "", {{{"", {{"1a2b3c4d", old}}}}}), "");
  EXPECT_EQ(SavedOf("git commit", "[main 1a2b3c4] Add", {{{"", {{"1a2b3c4d", old}}}}}), saved);
  const Repositories one = {{{"", {{"1a2b3c4d", edited}}}}};
  EXPECT_EQ(SavedOf("git commit -qm 'Drop the pool' x.c || true", "", one),
            "Drop the pool | Files: x.c");
  for (const char* command : {"cd $APP && git commit -q", "cd ~/app && git commit -q",
                              "cd - && git commit -q", "git --git-dir=/x/.git commit -q",
                              "GIT_DIR=/x/.git git commit -q", "cd app && git commit -q"})
    EXPECT_EQ(SavedOf(command, "", one), "") << command;
  EXPECT_EQ(SavedOf("git commit", "[main 9999999] Add a pool", one), "Add a pool | Add a pool");
  // A message that says nothing is not saved, whatever its files are.
  EXPECT_EQ(SavedOf("git commit -q", "", {{{"", {{"1a", {"wip\n", files, {}, 1}}}}}}), "");
  // Files that are not known there are those that the command names.
  EXPECT_EQ(SavedOf("git add x.c && git commit -q", "",
                    {{{"", {{"1a", {"Add a route\n", std::nullopt, {}, 1}}}}}}),
            "Add a route | Files: x.c");
}

TEST(Commits, TheDirectoryIsTheOneOfTheCommand) {
  const std::pair<const char*, const char*> commands[] = {
      {"git commit", ""},
      {"cd app && git commit", "app"},
      {"cd app; cd ..; git commit", "app/.."},
      {"cd a && git -C b -C c commit", "a/b/c"},
      {"cd a && git -C /b commit", "/b"},
      {"git -C 'a b' -c x=y commit", "a b"},
      {"bash -c 'cd app && git commit'", "app"},
      {"cd app && bash -c 'cd sub; git commit'", "app/sub"},
      {"pushd app && make && git commit", "app"},
      {"cd -P app && git commit", "app"},
      {"cd $APP && git -C /b commit", "/b"},
      {"cd /a && git add . && git commit", "/a"}};
  for (const auto& [command, directory] : commands) {
    Repositories none;
    CommitsOf({{"command", command}}, "", std::ref(none));
    ASSERT_FALSE(none.asked.empty()) << command;
    EXPECT_EQ(none.asked[0], directory) << command;
  }
}

TEST(Commits, AnAmendmentInARepositoryReplacesTheFirstThatWasSaved) {
  const RepositoryCommit first{"Add a route\n", {}, {}, 9}, wip{"wip\n", {}, {}, 9};
  const RepositoryCommit second{"Add /health\n", {}, {"wip\n", "Add a route\n"}, 5};
  const RepositoryCommit third{
      "Add /healthz\n", {}, {"wip\n", "Add a route\n", "Add /health\n"}, 1};
  const auto topic = [](const std::string& command, const RepositoryCommit& commit) {
    Repositories of = {{{"", {{"1a", commit}}}}};
    const auto saved = CommitsOf({{"command", command}}, "", std::ref(of));
    EXPECT_EQ(saved.size(), 1u);
    if (saved.size() != 1) return std::string();
    EXPECT_FALSE(saved[0].amends) << "the repository knows what it replaces";
    return saved[0].topic_key;
  };
  const std::string key = topic("git commit -q", first);
  EXPECT_EQ(topic("git commit -q --amend", second), key);
  EXPECT_EQ(topic("git commit -q --amend --no-edit", third), key);
  EXPECT_EQ(topic("git commit -qm 'Add a route'", first), key);
  EXPECT_NE(topic("git commit -q --amend", {"Add boosting\n", {}, {"wip\n"}, 1}),
            topic("git commit -q --amend", {"Add caching\n", {}, {"wip\n"}, 1}))
      << "what was not saved is nothing to replace";
  EXPECT_EQ(SavedOf("git commit -q && git commit -q --amend", "",
                    {{{"", {{"2b", second}, {"1a", wip}}}}}),
            "Add /health | Add /health");
  EXPECT_EQ(SavedOf("git commit -q && make && git commit -q", "",
                    {{{"", {{"2b", second}, {"1a", first}}}}}),
            "Add a route | Add a route || Add /health | Add /health");
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
