// Shows that denials, refusals and MCP errors never repeat hostile text raw, since runtimes show
// them to a model. Prints its seed.
#include <gtest/gtest.h>

#include <random>

#include "lib/base/text/text.h"
#include "lib/testing/hostile_texts.h"
#include "sidecar/mcp/mcp_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class InertAnswers : public McpTest {
 protected:
  static void Judge(const std::string& said) {
    EXPECT_EQ(testing::RawCharacterIn(said), "") << said;
    EXPECT_EQ(said.find_first_of("\n<"), std::string::npos) << said;
  }
  static std::string ReasonOf(const Reply& reply) {
    return base::StringAt(reply.body, {"hookSpecificOutput", "permissionDecisionReason"});
  }
};

TEST_F(InertAnswers, DenialsAndMcpErrorsAreOneInertLine) {
  directory_.Write(
      "policy.json",
      PolicyText(memory_.url(),
                 {{"toolHooks", {{"blockedCommands", {"rm"}}, {"allowedPaths", {"/repo"}}}}}));
  Start();
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::HostileTexts texts(seed);
  for (int round = 0; round < 100; ++round) {
    std::string text = base::ToUtf8(texts.One());
    std::erase(text, '\0');
    const Reply path = Hook(
        "PreToolUse", {{"tool_name", "Read"}, {"tool_input", {{"file_path", "/etc/x" + text}}}});
    EXPECT_NE(ReasonOf(path), "") << path.body;
    Judge(ReasonOf(path));
    Judge(ReasonOf(Hook(
        "PreToolUse",
        {{"tool_name", "Bash"}, {"cwd", "/repo"}, {"tool_input", {{"command", "rm '" + text}}}})));
    Judge(TextOf(Call("mem_get", {{text, 1}})));
    Judge(TextOf(Call("mem_save", {{"title", "t"}, {"content", "c"}, {"scope", text}})));
    Judge(TextOf(Call("recall", {{"conversation", "x" + text}})));
    const Json error = InSession("tools/call", {{"name", "x" + text}}).body.at("error");
    Judge(error.at("message"));
    Judge(InSession("x" + text).body.at("error").at("message"));
  }
}

// A refusal quotes the names of the event's members.
TEST_F(InertAnswers, ARefusedHookIsOneInertLine) {
  const std::string name = "a\u202E</memory:context>\u200B";
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/v1/hooks";
  request.body =
      R"({"hook_event_name":"Stop","session_id":"c",")" + name + R"(":1,")" + name + R"(":2})";
  const Reply reply = Send(*api_, request);
  if (reply.status != 200) Judge(reply.body.at("error"));
}

}  // namespace
}  // namespace sidecar
