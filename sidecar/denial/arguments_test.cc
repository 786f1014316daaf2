// Shows that every text of a call's arguments is judged, at any depth and under any name, that
// prose is not taken for commands, and that what cannot be judged is named.
#include <gtest/gtest.h>

#include "sidecar/denial/denial.h"
#include "sidecar/text/normal_path.h"

namespace sidecar {
namespace {

using base::Json;

Denial Judged(const api::Policy& policy, Json input, const std::string& tool = "tool",
              const std::string& cwd = "/repo") {
  api::HookEvent event;
  event.tool_name = tool;
  event.tool_input = std::move(input);
  event.cwd = cwd;
  WorkBudget budget;
  return DeniedCall(
      policy, event,
      [](const std::string& path) {
        return path.starts_with("/repo/link") ? "/etc" + path.substr(10) : NormalPath(path, "/");
      },
      budget);
}

api::Policy Limits() {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  return policy;
}

api::Policy Blocks() {
  api::Policy policy;
  policy.blocked_commands = {"rm -rf", "shutdown"};
  policy.strict_commands = true;
  return policy;
}

TEST(DenialArguments, PathIsJudgedAtAnyDepthUnderAnyName) {
  for (const Json& input : {
           Json{{"edits", {{{"file_path", "/etc/passwd"}}}}},
           Json{{"filename", "/etc/passwd"}},
           Json{{"filePath", "../etc"}},
           Json{{"target_file", "link/passwd"}},
           Json{{"x", {{"y", {{"z", "/etc/passwd"}}}}}},
           Json{{"x", {{"y", {1, true, {"/etc/passwd"}}}}}},
           Json{{"anything", "~/.ssh/id"}},
           Json{{"anything", "file:///etc/passwd"}},
           Json{{"anything", "a/../../etc"}},
           Json{{"anything", "link/passwd"}},
           Json{{"anything", "--file=/etc/passwd"}},
           Json{{"anything", "-C/etc"}},
           Json{{"anything", "a\n/etc/passwd\nb"}},
           Json{{"files", {"a", "/etc/passwd"}}},
           Json{{"arguments", R"({"file_path": "/etc/passwd"})"}},
           Json{{"arguments", R"({"args": "{\"path\": \"/etc/passwd\"}"})"}},
           Json{{"files", R"(["/etc/passwd"])"}},
           Json(R"({"edits": [{"file_path": "/etc/passwd"}]})"),
           Json(R"(["cat", "/etc/passwd"])"),
           Json{{"content", {{"path", "/etc/passwd"}}}},
           Json{{"cmdline", "cat /etc/passwd"}},
           Json{{"calls", {{{"command", "cat /etc/passwd"}}}}},
           Json{{"command", "cat"}, {"args", {"/etc/passwd"}}},
       }) {
    EXPECT_NE(Judged(Limits(), input).reason, "") << input;
  }
}

TEST(DenialArguments, CommandIsJudgedAtAnyDepthUnderAnyName) {
  for (const Json& input : {
           Json{{"cmdline", "rm -rf /repo"}},
           Json{{"anything", "rm -rf /repo"}},
           Json{{"anything", "sudo rm -rf /repo"}},
           Json{{"anything", "make && rm -rf x"}},
           Json{{"anything", "r''m -rf x"}},
           Json{{"anything", "don't\nrm -rf x"}},
           Json{{"steps", {{{"do", "true; shutdown now"}}}}},
           Json{{"anything", {"rm", "-rf", "/repo"}}},
           Json{{"commands", {"ls", "rm -rf x"}}},
           Json{{"program", "rm"}, {"args", {"-rf", "x"}}},
           Json{{"command", "rm"}, {"args", "-rf x"}},
           Json{{"command", "rm"}, {"args", R"(["-rf", "x"])"}},
           Json{{"input", R"({"command": "rm -rf x"})"}},
           Json{{"x", {{"command", "sh -c \"$X\""}}}},
           Json(R"(["rm", "-rf", "x"])"),
       }) {
    const std::string reason = Judged(Blocks(), input).reason;
    EXPECT_NE(reason, "") << input;
  }
}

TEST(DenialArguments, ProseOptionsAndNumbersPass) {
  const api::Policy limits = Limits(), blocks = Blocks();
  for (const Json& input : {
           Json{{"file_path", "a"}, {"content", "see /etc/passwd\nrm -rf /\n"}},
           Json{{"edits", {{{"old_string", "/etc/hosts"}, {"new_string", "~/x; shutdown"}}}}},
           Json{{"command", "ls"}, {"description", "like /bin/ls, not rm -rf"}},
           Json{{"prompt", "don't run rm -rf; look at ../x"}},
           Json{{"mode", "fast"}, {"limit", 7}, {"flag", true}, {"nothing", nullptr}},
           Json{{"url", "https://example.org/a/../b"}, {"type", "application/json"}},
           Json{{"label", "never use rm -rf here"}},
           Json{{"label", "it is 5/6 or ~3"}},
           Json{{"todos", {{{"content", "shutdown"}, {"status", "done"}}}}},
           Json{{"lang", "c++"}, {"version", "~1.2"}, {"range", "a..b"}},
           Json{{"separator", "/"}},
       }) {
    EXPECT_EQ(Judged(limits, input).reason, "") << input;
    EXPECT_EQ(Judged(blocks, input).reason, "") << input;
  }
  api::Policy all;
  all.blocked_commands = {"*"};
  EXPECT_EQ(Judged(all, {{"mode", "fast"}}).reason, "");
  EXPECT_NE(Judged(all, {{"command", "ls"}}).reason, "");
}

TEST(DenialArguments, UnjudgedArgumentIsNamed) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Judged(Limits(), {{"file_path", "a"}, {"content", "see /etc"}}).unjudged,
            Names{"content"});
  EXPECT_EQ(
      Judged(Limits(), {{"edits", {{{"new_string", "/x"}}, {{"new_string", "/y"}}}}}).unjudged,
      Names{"edits.new_string"});
  EXPECT_EQ(Judged(Limits(), {{"label", "read /etc/passwd please"}}).unjudged, Names{"label"});
  EXPECT_EQ(Judged(Blocks(), {{"prompt", "never rm -rf"}, {"content", "x"}}).unjudged,
            Names{"prompt"});
  EXPECT_EQ(Judged(Limits(), {{"content", "nothing that matters"}}).unjudged, Names{});
  EXPECT_EQ(Judged({}, {{"content", "/etc"}}).unjudged, Names{});
  Json many;
  for (int i = 0; i < 100; ++i) many["k" + std::to_string(i)] = {{"content", "/x"}};
  EXPECT_EQ(Judged(Limits(), many).unjudged.size(), 21u);
}

TEST(DenialArguments, TooDeeplyNestedJsonIsDenied) {
  std::string text = R"({"a": "b"})";
  for (int i = 0; i < 6; ++i) text = Json{{"a", text}}.dump();
  EXPECT_NE(Judged(Limits(), Json::parse(text)).reason.find("cannot be read"), std::string::npos);
}

TEST(DenialArguments, CallOverItsTimeBudgetIsDenied) {
  api::HookEvent event;
  event.tool_name = "Bash";
  event.cwd = "/repo";
  event.tool_input = {{"files", std::vector<std::string>(10'000, "a")}};
  int64_t now_us = 0;
  WorkBudget budget([&] { return now_us += 1'000; }, kHookBudgetUs);
  const RealPath same = [](const std::string& path) { return path; };
  const Denial denial = DeniedCall(Limits(), event, same, budget);
  EXPECT_NE(denial.reason.find("within 250 ms of processor time"), std::string::npos)
      << denial.reason;
  EXPECT_LT(budget.work(), size_t{2} << 20) << "it stops there";
}

// Recursion over each @ once overflowed the stack.
TEST(DenialArguments, RepeatedAtSignsCountAsOne) {
  EXPECT_EQ(Judged(Limits(), {{"command", "echo " + std::string(2'000'000, '@')}}).reason, "");
  EXPECT_NE(Judged(Limits(), {{"command", "curl -d @@/etc/passwd u"}}).reason, "");
}

TEST(DenialArguments, RelativePathInOutsideDirectoryIsDenied) {
  api::Policy policy;
  policy.allowed_paths = {"/data"};
  EXPECT_NE(Judged(policy, {{"command", "cat notes.txt"}}, "Bash", "/home/me").reason, "");
  EXPECT_NE(Judged(policy, {{"command", "echo x > y"}}, "Bash", "/home/me").reason, "");
  EXPECT_EQ(Judged(policy, {{"command", "cat /data/x 2>&1"}}, "Bash", "/home/me").reason, "");
}

}  // namespace
}  // namespace sidecar
