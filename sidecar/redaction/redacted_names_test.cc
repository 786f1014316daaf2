// Shows that ids, types, sources and tool names with a secret are neither stored nor sent, and that
// the runtime's id still finds its conversation.
#include "sidecar/redaction/redacted_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

const std::string kNamedSecret = "ghp" + ("_" + std::string(36, 'A')),
                  kOther = "ghp" + ("_" + std::string(36, 'B'));

class RedactedNames : public SidecarTest {
 protected:
  void ExpectNowhere() {
    for (const auto& call : memory_.With([](StubMemory& stub) { return stub.calls; })) {
      EXPECT_EQ((call.target + call.body).find(kNamedSecret), std::string::npos) << call.target;
    }
    running_.reset();
    for (const auto& file : std::filesystem::directory_iterator(directory_.path() + "/state")) {
      std::ifstream stream(file.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(stream), {});
      EXPECT_EQ(bytes.find(kNamedSecret), std::string::npos) << file.path();
    }
  }
  size_t MessagesOf(const std::string& id) {
    return Ask("GET", "/conversations/" + id + "/messages").body["messages"].size();
  }
};

TEST_F(RedactedNames, OfHooksAreNotStored) {
  directory_.Write(
      "policy.json",
      PolicyText(
          memory_.url(),
          {{"toolHooks",
            {{"auditTools", {"*"}},
             {"memorySaveRules", {{{"name", "all"}, {"tool", "*"}, {"matchOutput", "."}}}}}}}));
  Start();
  const std::string id = "run-" + kNamedSecret;
  Hook("UserPromptSubmit", {{"prompt", "go"}, {"prompt_id", "p" + kNamedSecret}}, id);
  for (const char* event : {"PreToolUse", "PostToolUse"}) {
    Hook(event,
         {{"tool_name", "mcp__x__" + kNamedSecret},
          {"tool_use_id", "call " + kNamedSecret},
          {"tool_input", {{"a", 1}}},
          {"tool_response", "out"}},
         id);
  }
  Hook("UserPromptSubmit", {{"prompt", "other"}}, "run-" + kOther);
  ASSERT_TRUE(memory_.WaitForObservations(1));
  EXPECT_EQ(MessagesOf(id), 3u);
  EXPECT_EQ(MessagesOf("run-" + kOther), 1u);
  const std::string stored = Ask("GET", "/conversations/" + id + "/messages").body["conversation"];
  EXPECT_NE(stored.find("[REDACTED:"), std::string::npos) << stored;
  EXPECT_EQ(MessagesOf(http::PercentEncode(stored)), 3u);
  EXPECT_EQ(Ask("POST", "/ledger/" + id + "/mark", {{"item", "x"}}).status, 200);
  EXPECT_EQ(Ask("GET", "/ledger/" + http::PercentEncode(stored)).body["items"].size(), 1u);
  EXPECT_EQ(Ask("GET", "/v1/injections/" + id + "/1").status, 200);
  ExpectNowhere();
}

TEST_F(RedactedNames, OfWritesAreNotSent) {
  const std::string id = "run-" + kNamedSecret;
  Hook("UserPromptSubmit", {{"prompt", "go"}}, id);
  const std::string session =
      Ask("GET", "/conversations/" + id + "/messages").body["memory_session_id"];
  const Json note = {{"title", "t"},
                     {"content", "c"},
                     {"type", kNamedSecret},
                     {"session_id", id},
                     {"source", {{"tool", kNamedSecret}, {"rule", "x " + kNamedSecret}}}};
  EXPECT_LT(Ask("POST", "/observations", note).status, 300);
  ASSERT_TRUE(memory_.WaitForObservations(1));
  const Json saved = memory_.With([](StubMemory& stub) { return stub.observations.at(0); });
  EXPECT_EQ(saved["session_id"], session);
  EXPECT_TRUE(saved["type"].get<std::string>().starts_with("[REDACTED:")) << saved;
  EXPECT_LT(
      Ask("POST", "/sessions", {{"id", "s-" + kNamedSecret}, {"directory", kNamedSecret}}).status,
      300);
  Ask("POST", "/sessions/s-" + kNamedSecret + "/end", {{"messages", Json::array()}});
  Ask("POST", "/conversations/c-" + kNamedSecret + "/messages",
      {{"messages", {{{"role", "user"}, {"content", "x"}}}}});
  EXPECT_EQ(MessagesOf("c-" + kNamedSecret), 1u);
  Ask("PUT", "/conversations/c-" + kNamedSecret + "/state", {{"state", "ended"}});
  ExpectNowhere();
}

TEST(RedactedName, IsBoundedAndStaysUnique) {
  const auto redactor = redaction::Redactor::Compile({});
  ASSERT_TRUE(redactor);
  redaction::Redactor::Counts counts;
  const std::string fill(150, 'x');
  const auto name = [&](const std::string& text) {
    return RedactName(*redactor, text, 160, counts);
  };
  EXPECT_EQ(name("an id " + fill + fill), "an id " + fill + fill) << "without a secret: as it is";
  const std::string one = name(fill + " " + kNamedSecret), other = name(fill + " " + kOther);
  EXPECT_LE(one.size(), 160u);
  EXPECT_NE(one, other);
  EXPECT_EQ(one, name(fill + " " + kNamedSecret));
  EXPECT_EQ(one, name(one));
}

}  // namespace
}  // namespace sidecar
