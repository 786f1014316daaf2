// Shows the verdicts on tables of commands: disguised, wrapped and ordinary ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "lib/base/text/text.h"
#include "sidecar/denial/denial.h"
#include "sidecar/text/normal_path.h"

namespace sidecar {
namespace {

Denial JudgedRow(const api::Policy& policy, base::Json input, const std::string& tool = "Bash") {
  api::HookEvent event;
  event.tool_name = tool;
  event.tool_input = std::move(input);
  event.cwd = "/repo";
  WorkBudget budget;
  return DeniedCall(
      policy, event, [](const std::string& path) { return NormalPath(path, "/"); }, budget);
}

std::vector<std::pair<std::string, std::string>> Rows(const std::string& name) {
  std::ifstream file("sidecar/denial/testdata/" + name);
  EXPECT_TRUE(file) << "run the tests from the project's root";
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (line.starts_with("#") || tab == std::string::npos) continue;
    std::string command;
    for (size_t at = tab + 1; at < line.size(); ++at) {
      const bool ends = line.compare(at, 2, "\\n") == 0;
      command += ends ? '\n' : line[at];
      at += ends ? 1 : 0;
    }
    rows.emplace_back(line.substr(0, tab), std::move(command));
  }
  return rows;
}

std::string VerdictOf(api::Policy policy, const std::string& command) {
  if (!JudgedRow(policy, {{"command", command}}).reason.empty()) return "deny";
  policy.strict_commands = true;
  return JudgedRow(policy, {{"command", command}}).reason.empty() ? "allow" : "strict";
}

TEST(DenialTable, EntryMatchesOnlyAtCommandPosition) {
  api::Policy policy;
  policy.blocked_commands = {"rm", "curl", "git push"};
  size_t rows = 0;
  for (const auto& [verdict, command] : Rows("denials.tsv")) {
    ++rows;
    const std::string is = VerdictOf(policy, command);
    const bool hidden = verdict == "allow" && is == "strict";  // $CC: strictness denies it
    EXPECT_TRUE(is == verdict || hidden) << is << ": " << command;
  }
  EXPECT_GE(rows, 110u);
}

TEST(DenialTable, EntryMatchesOptionsAndAsterisks) {
  const auto denied = [](const char* entry, const char* command) {
    api::Policy policy;
    policy.blocked_commands = {entry};
    return !JudgedRow(policy, {{"command", command}}).reason.empty();
  };
  EXPECT_TRUE(denied("rm -rf", "rm -fr x"));
  EXPECT_TRUE(denied("rm -rf", "rm -r x -f"));
  EXPECT_FALSE(denied("rm -rf", "rm -r -- -f"));
  EXPECT_TRUE(denied("git push --force", "git push origin --force"));
  EXPECT_TRUE(denied("git push --force", "git push --force=x"));
  EXPECT_FALSE(denied("git push --force", "git push origin"));
  EXPECT_TRUE(denied("git push * main", "git push -u origin main"));
  EXPECT_TRUE(denied("mkfs.*", "mkfs.ext4 /dev/sda"));
  EXPECT_TRUE(denied("* rm", "git rm x"));
  EXPECT_TRUE(denied("* rm", "git commit -m 'rm x'"));
  EXPECT_TRUE(denied("*rm*", "ls alarm"));
  EXPECT_FALSE(denied("rm*", "ls rmdir"));
  EXPECT_TRUE(denied("*", "ls"));
}

TEST(DenialTable, PathsHaveTheVerdictsOfTheirTable) {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  for (const auto& [verdict, command] : Rows("denied_paths.tsv")) {
    EXPECT_EQ(VerdictOf(policy, command), verdict) << command;
  }
}

TEST(DenialTable, PathCountsOnlyInPathArguments) {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  size_t passed = 0, denied = 0;
  for (const auto& [verdict, command] : Rows("paths_of_tools.tsv")) {
    const std::string is = VerdictOf(policy, command) == "deny" ? "deny" : "pass";
    EXPECT_EQ(is, verdict) << command;
    ++(is == "deny" ? denied : passed);
  }
  EXPECT_GE(passed, 60u);
  EXPECT_GE(denied, 40u);
}

TEST(DenialTable, UnjudgedWordIsExplainedAndDeniedIfStrict) {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  policy.blocked_commands = {"rm"};
  const std::pair<const char*, const char*> rows[] = {
      {"cat \"$X\"", "command: words of cat are only known when it runs"},
      {"cat $(git ls-files)", "command: words of cat are only known when it runs"},
      {"head {a,b}/x", "command: words of head are only known when it runs"},
      {"git ls-files | xargs cat", "command: xargs gives cat paths that are not known"},
      {"xargs -I% sudo cat % < x", "command: xargs gives cat paths that are not known"},
      {"cat src/*.c", "command: wildcards of cat may name links"},
      {"sort < *.c", "command: wildcards of sort may name links"},
      {"tar --exclude='/*' -cf a b", "command: patterns of tar may name paths"},
      {"docker exec web cat /etc/x", "command: paths of docker exec are those of a container"},
      {"$CC main.c", "command: what it runs is only known when it runs"},
      {"curl x | sh", "command: what it runs is only known when it runs"},
  };
  for (const auto& [command, reason] : rows) {
    const Denial denial = JudgedRow(policy, {{"command", command}});
    EXPECT_EQ(denial.reason, "") << command;
    EXPECT_EQ(std::count(denial.unjudged.begin(), denial.unjudged.end(), reason), 1)
        << command << ": " << base::Join(denial.unjudged, "; ");
    EXPECT_EQ(VerdictOf(policy, command), "strict") << command;
  }
  for (const char* command :
       {"cat a", "grep \"$X\" a", "echo $X *", "[[ $a == b* ]]", "find . -name '*.c'", "ls -l",
        "case x in\n*.c) ls;;\nesac", "cat <<'EOF'\n$X *.c\nEOF", "curl 'https://x/?a=*'",
        "echo $((a*2))", "seq 3 | xargs echo", "cat x | xargs kill"}) {
    const Denial denial = JudgedRow(policy, {{"command", command}});
    EXPECT_EQ(base::Join(denial.unjudged, "; "), "") << command;
  }
}

TEST(DenialTable, OrdinaryCommandsPass) {
  api::Policy policy;
  policy.blocked_commands = {"rm -rf", "shutdown", "git push --force", "mkfs.*"};
  policy.allowed_paths = {"/repo", "/tmp"};
  std::vector<std::string> denied;
  size_t rows = 0;
  for (const auto& [verdict, command] : Rows("ordinary_commands.tsv")) {
    ++rows;
    const std::string reason = JudgedRow(policy, {{"command", command}}).reason;
    if (!reason.empty()) denied.push_back(command + ": " + reason);
  }
  EXPECT_GE(rows, 300u);
  EXPECT_LE(denied.size() * 100, rows) << base::Join(denied, "\n");
}

TEST(DenialTable, NothingIsDeniedWithoutLists) {
  EXPECT_EQ(JudgedRow({}, {{"command", "rm -rf /"}, {"path", "/etc"}}).reason, "");
}

TEST(DenialTable, ArgumentsOfKnownRuntimesAreRead) {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  policy.blocked_commands = {"rm"};
  const std::string patch = "*** Begin Patch\n*** Update File: /etc/x\n@@\n+a\n*** End Patch";
  using base::Json;
  const std::pair<const char*, Json> calls[] = {
      {"Read", {{"file_path", "/etc/x"}}},  // Claude Code
      {"NotebookEdit", {{"notebook_path", "/etc/x"}}},
      {"shell", {{"command", {"bash", "-lc", "rm x"}}}},  // Codex CLI
      {"exec_command", {{"cmd", "rm x"}}},
      {"shell", {{"command", {"ls"}}, {"workdir", "/etc"}}},
      {"apply_patch", {{"input", patch}}},
      {"shell", {{"command", {"apply_patch", patch}}}},
      {"run_shell_command", {{"command", "rm x"}}},  // Gemini CLI
      {"run_shell_command", {{"command", "ls"}, {"directory", "../x"}}},
      {"read_file", {{"absolute_path", "/etc/x"}}},
      {"list_directory", {{"dir_path", "/etc"}}},
      {"read", {{"filePath", "/etc/x"}}},  // opencode
      {"apply_patch", {{"patchText", patch}}},
      {"read_file", {{"target_file", "/etc/x"}}},  // Cursor
      {"list_dir", {{"relative_workspace_path", "../x"}}},
      {"run_terminal_cmd", {{"command", "rm x"}}},
      {"codebase_search", {{"query", "x"}, {"target_directories", {"/etc/*"}}}},
      {"mcp__fs__move_file", {{"source", "a"}, {"destination", "/etc/x"}}},  // MCP
      {"mcp__fs__read", {{"uri", "file:///etc/x"}}},
  };
  for (const auto& [tool, input] : calls) {
    EXPECT_NE(JudgedRow(policy, input, tool).reason, "") << tool << input;
  }
  EXPECT_EQ(JudgedRow(policy, {{"anything", "/compact"}}, "tool").reason, "");
}

}  // namespace
}  // namespace sidecar
