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

TEST(Denial, BlockedCommandsByTheirWords) {
  api::Policy policy;
  policy.blocked_commands = {"rm -rf", "shutdown"};
  for (const char* command :
       {"rm -rf /", "sudo rm  -rf x", "true; /bin/rm -rf y", "echo $(shutdown now)"}) {
    EXPECT_NE(DenialReason(policy, Call({{"command", command}})), "") << command;
  }
  for (const char* command : {"rm x", "ls -rf", "grep shutdowns log", ""}) {
    EXPECT_EQ(DenialReason(policy, Call({{"command", command}})), "") << command;
  }
  EXPECT_NE(DenialReason(policy, Call({{"command", "rm -rf /"}})).find("rm -rf"),
            std::string::npos);
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
    EXPECT_EQ(DenialReason(policy, Call({{"file_path", path}})).empty(), allowed) << path;
  }
  EXPECT_NE(DenialReason(policy, Call({{"command", "cat /etc/passwd"}})), "");
  EXPECT_NE(DenialReason(policy, Call({{"command", "echo x >/etc/y"}})), "");
  EXPECT_EQ(DenialReason(policy, Call({{"command", "cat /repo/a"}})), "");
}

TEST(Denial, WithoutListsNothingIsDenied) {
  EXPECT_EQ(DenialReason({}, Call({{"command", "rm -rf /"}, {"path", "/etc"}})), "");
}

TEST(NormalPath, DotsAndSlashes) {
  EXPECT_EQ(NormalPath("a/./b/../c", "/x"), "/x/a/c");
  EXPECT_EQ(NormalPath("/../../a//", "/x"), "/a");
  EXPECT_EQ(NormalPath("..", "/"), "/");
}

}  // namespace
}  // namespace sidecar
