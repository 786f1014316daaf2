// Shows which tool calls are denied, and that the reason names what is blocked.
#include "sidecar/denial.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

api::HookEvent Call(base::Json input, std::string cwd = "/repo") {
  api::HookEvent event;
  event.tool_name = "Bash";
  event.tool_input = std::move(input);
  event.cwd = std::move(cwd);
  return event;
}

std::string Denied(const api::Policy& policy, const api::HookEvent& event) {
  return DenialReason(policy, event, [](const std::string& path) { return NormalPath(path, "/"); });
}

TEST(Denial, BlockedCommandsByTheirWords) {
  api::Policy policy;
  policy.blocked_commands = {"rm -rf", "shutdown"};
  for (const char* command :
       {"rm -rf /", "sudo rm  -rf x", "true; /bin/rm -rf y", "echo $(shutdown now)"}) {
    EXPECT_NE(Denied(policy, Call({{"command", command}})), "") << command;
  }
  for (const char* command : {"rm x", "ls -rf", "grep shutdowns log", ""}) {
    EXPECT_EQ(Denied(policy, Call({{"command", command}})), "") << command;
  }
  EXPECT_NE(Denied(policy, Call({{"command", "rm -rf /"}})).find("rm -rf"), std::string::npos);
}

TEST(Denial, PathsOutsideTheAllowedOnes) {
  api::Policy policy;
  policy.allowed_paths = {"/repo", "/data/..x"};
  const std::pair<const char*, bool> paths[] = {
      {"/repo/a", true},    {"/repo", true},    {"a/b", true},          {"/repo/../etc", false},
      {"/reposhop", false}, {"../x", false},    {"/data/..x", true},    {"/data/..x/y", true},
      {"/data", false},     {"./a/../b", true}, {"/repo/./a//b", true}, {"~/x", false},
  };
  for (const auto& [path, allowed] : paths) {
    EXPECT_EQ(Denied(policy, Call({{"file_path", path}})).empty(), allowed) << path;
  }
  EXPECT_NE(Denied(policy, Call({{"command", "cat /etc/passwd"}})), "");
  EXPECT_NE(Denied(policy, Call({{"command", "echo x >/etc/y"}})), "");
  EXPECT_EQ(Denied(policy, Call({{"command", "cat /repo/a"}})), "");
}

TEST(Denial, BlockedCommandsInEveryDisguiseAShellTakesOff) {
  api::Policy policy;
  policy.blocked_commands = {"rm -rf"};
  for (const char* command :
       {"r''m -rf /", "\\rm -rf /", "\"rm\" '-rf' x", "sh -c 'rm -rf /'", "sh -c \"r''m -rf x\"",
        "X=1 rm -rf /", "(cd /; rm -rf x)", "echo `rm -rf /`", "cat <(rm -rf /)", "true&&rm -rf x",
        "bash <<EOF\nrm -rf /\nEOF", "$CMD -rf /", "sudo $CMD", "eval \"$X\"", "sh -c \"$X\"",
        "`echo rm` -rf /", "{rm,-rf,/}", "$'\\162m' -rf /"}) {
    EXPECT_NE(Denied(policy, Call({{"command", command}})), "") << command;
  }
  for (const char* command :
       {"echo $HOME", "git commit -m \"$(date)\"", "cat <<'EOF'\nit's fine\nEOF",
        "for f in *; do ls $f; done", "make -j2 2>&1 | tail -5", "echo 'don'\\''t'", "X=$Y make",
        "[ -f x ] && cat x"}) {
    EXPECT_EQ(Denied(policy, Call({{"command", command}})), "") << command;
  }
  EXPECT_NE(Denied(policy, Call({{"command", {"bash", "-lc", "rm -rf /"}}})), "");
  EXPECT_EQ(Denied(policy, Call({{"command", {"git", "commit", "-m", "don't"}}})), "");
  EXPECT_NE(Denied(policy, Call("rm -rf /")), "") << "a plain text is a command";
}

TEST(Denial, WhatCannotBeReadIsDenied) {
  api::Policy blocks, limits;
  blocks.blocked_commands = {"shutdown"};
  limits.allowed_paths = {"/repo"};
  for (const api::Policy& policy : {blocks, limits}) {
    for (const char* command : {"cat \"x", "cat 'x", "cat x\\", "echo $(ls", "echo `ls", "(ls",
                                "cat <<EOF\nno end", "echo ${x"}) {
      const std::string reason = Denied(policy, Call({{"command", command}}));
      EXPECT_NE(reason.find("cannot be read"), std::string::npos) << command << ": " << reason;
    }
    for (const base::Json& input :
         {base::Json{{"command", 7}}, base::Json{{"command", {{"a", "b"}}}}, base::Json{1, 2},
          base::Json{{"file_path", {"a", 7}}}, base::Json(true)}) {
      EXPECT_NE(Denied(policy, Call(input)).find("cannot be read"), std::string::npos) << input;
    }
    EXPECT_EQ(Denied(policy, Call(nullptr)), "");
    EXPECT_EQ(Denied(policy, Call({{"command", nullptr}})), "");
  }
}

TEST(Denial, EveryWordOfACommandMayBeAPath) {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  for (const char* command : {"cat ../x",
                              "cat a/../../x",
                              "cd .. && cat x",
                              "cd missing; cat ../x",
                              "cd a && cd ../.. && cat x",
                              "cd",
                              "cd ~",
                              "cat ~/x",
                              "cat ~root/x",
                              "tar -C/etc -c x",
                              "gcc -I../inc x.c",
                              "dd if=/etc/passwd",
                              "grep --file=/etc/x y",
                              "X=/etc/passwd",
                              "cat $HOME/x",
                              "cat \"$X\"",
                              "cat $(echo x)",
                              "cat {/etc,b}/x",
                              "cat 2>/tmp/x",
                              "echo x >>/tmp/x",
                              "echo x >| /tmp/y",
                              "cat </etc/x",
                              "ls .*/x",
                              "cat .?/x",
                              "sh -c 'cat /etc/x'",
                              "cat file:///etc/x",
                              "ls a&&cat /etc/x",
                              "c\\at /e''tc/passwd",
                              "pushd /; cat etc/passwd",
                              "ln -s ../.. up",
                              "echo x &>/tmp/x",
                              "cat <<EOF >/tmp/x\nx\nEOF"}) {
    EXPECT_NE(Denied(policy, Call({{"command", command}})), "") << command;
  }
  for (const char* command :
       {"make test", "cat a/../b", "cd a && cat b", "grep -rn 'a..b' src", "git log main..dev",
        "echo $? $$", "curl https://example.org/a/../b", "make 2>&1", "ls > out.txt 2>&1",
        "cd a; cd -", "find . -name '*.c' -exec cat {} \\;", "sed 's/a/b/' x",
        "cat /repo/a /repo/b", "", "./configure --prefix=out/x -I./inc", "awk '{print $1}' x",
        "git commit -m 'it works'", "cat <<'EOF'\nsome text\nEOF", "ls .git*"}) {
    EXPECT_EQ(Denied(policy, Call({{"command", command}})), "") << command;
  }
}

TEST(Denial, ADirectoryOutsideMakesRelativeWordsPathsOutside) {
  api::Policy policy;
  policy.allowed_paths = {"/data"};
  EXPECT_NE(Denied(policy, Call({{"command", "cat notes.txt"}}, "/home/me")), "");
  EXPECT_NE(Denied(policy, Call({{"command", "echo x > y"}}, "/home/me")), "");
  EXPECT_EQ(Denied(policy, Call({{"command", "cat /data/x 2>&1"}}, "/home/me")), "");
  // Without a directory only what leads out of it can be told.
  EXPECT_EQ(Denied(policy, Call({{"command", "cat x /data/y"}}, "")), "");
  EXPECT_NE(Denied(policy, Call({{"command", "cat ../x"}}, "")), "");
}

TEST(Denial, LinksAreFollowedWhereTheyCanBeSeen) {
  api::Policy policy;
  policy.allowed_paths = {"/repo", "/link-to-data"};
  const RealPath real = [](const std::string& path) -> std::string {
    const std::pair<std::string, std::string> links[] = {{"/repo/out", "/etc"},
                                                         {"/link-to-data", "/mnt/data"}};
    for (const auto& [link, target] : links) {
      if (path.starts_with(link)) return NormalPath(target + path.substr(link.size()), "/");
    }
    return NormalPath(path, "/");
  };
  const std::string reason = DenialReason(policy, Call({{"file_path", "/repo/out/passwd"}}), real);
  EXPECT_NE(reason.find("/etc/passwd (a link leads there)"), std::string::npos) << reason;
  EXPECT_NE(DenialReason(policy, Call({{"command", "cat out/passwd"}}), real), "");
  EXPECT_EQ(DenialReason(policy, Call({{"path", "/repo/in/x"}}), real), "");
  EXPECT_EQ(DenialReason(policy, Call({{"path", "/link-to-data/x"}}), real), "");
}

TEST(Denial, WithoutListsNothingIsDenied) {
  EXPECT_EQ(Denied({}, Call({{"command", "rm -rf /"}, {"path", "/etc"}})), "");
}

TEST(NormalPath, DotsAndSlashes) {
  EXPECT_EQ(NormalPath("a/./b/../c", "/x"), "/x/a/c");
  EXPECT_EQ(NormalPath("/../../a//", "/x"), "/a");
  EXPECT_EQ(NormalPath("..", "/"), "/");
}

}  // namespace
}  // namespace sidecar
