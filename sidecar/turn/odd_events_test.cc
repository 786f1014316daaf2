// Shows that no hook event is refused for its contents: odd events are mended, recorded, audited
// and judged, and denied if a policy with denials cannot judge them.
#include <gtest/gtest.h>

#include <sstream>

#include "lib/testing/raw_socket.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class OddEvents : public SidecarTest {
 protected:
  // Posts raw JSON; `fields` follow the name and the session.
  Reply Post(const std::string& event, const std::string& fields) {
    http::ClientRequest request;
    request.method = "POST";
    request.target = "/v1/hooks";
    request.body =
        R"({"session_id":"c1","cwd":"/srv","hook_event_name":")" + event + "\"," + fields + "}";
    return Send(*api_, request);
  }
  std::string Denial(const std::string& tool, const std::string& input) {
    const Reply reply =
        Post("PreToolUse", R"("tool_name":")" + tool + R"(","tool_input":)" + input);
    EXPECT_EQ(reply.status, 200) << input.substr(0, 99) << reply.body;
    return base::StringAt(reply.body, {"hookSpecificOutput", "permissionDecisionReason"});
  }
  void Limit(const Json& hooks) {
    const Json policy = {{"memory", {{"allowAdmin", true}}},
                         {"toolHooks", hooks}};  // for reading the audit log
    directory_.Write("policy.json", PolicyText(memory_.url(), policy));
    Start();
  }
};

TEST_F(OddEvents, AMisspeltEventIsTold) {
  Limit(Json::object());
  const Reply reply = Post("UserPromtSubmit", R"("prompt":"hello")");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body["systemMessage"],
            "agent-memory: the hook event \"UserPromtSubmit\" is unknown and was not recorded; did "
            "you mean \"UserPromptSubmit\"?");
  EXPECT_EQ(Post("Notification", R"("message":"x")").body, Json::object());
}

TEST_F(OddEvents, AnOutputWithANulIsAMessageAnAuditRowAndACapture) {
  Limit({{"auditTools", {"bash"}}});
  EXPECT_EQ(Post("PostToolUse",
                 R"("tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"cat a"},)"
                 R"("tool_response":{"stdout":"ELF\u0000\ud83d panic: at main.c","stderr":""})")
                .status,
            200);
  const Json messages = Messages();
  ASSERT_EQ(messages.size(), 2u) << messages;
  EXPECT_EQ(messages[1]["content"], "ELF\uFFFD\uFFFD panic: at main.c");
  const Json audit = Ask("GET", "/v1/audit").body["rows"];
  ASSERT_EQ(audit.size(), 1u) << audit;
  EXPECT_TRUE(Until([&] { return memory_.CountCalls("POST /observations") == 2; }));
  http::ClientRequest scrape;
  scrape.target = "/metrics";
  const auto metrics = admin_->Send(scrape);
  ASSERT_TRUE(metrics);
  EXPECT_NE(metrics->body.find(R"(agent_memory_sidecar_hooks_mended_total{what="characters"} 1)"),
            std::string::npos);
}

TEST_F(OddEvents, EachKindIsRecorded) {
  const std::string deep = std::string(99, '[') + std::string(99, ']');
  for (const std::string& prompt :
       {std::string(R"("a\u0000")"), std::string(R"("\udc80")"), std::string("\"\xFF\"")}) {
    EXPECT_EQ(Post("UserPromptSubmit", "\"prompt\":" + prompt).status, 200) << prompt;
  }
  for (const std::string& response :
       {deep, std::string(R"({"a":1,"a":"two"})"), std::string("[1e999]")}) {
    EXPECT_EQ(
        Post("PostToolUse", R"("tool_name":"Bash","tool_input":{},"tool_response":)" + response)
            .status,
        200);
  }
  EXPECT_EQ(Messages().size(), 3u + 2 * 3u);
}

TEST_F(OddEvents, DenialsJudgeWhatTheToolWouldRun) {
  Limit({{"blockedCommands", {"rm", "git push"}}, {"allowedPaths", {"/srv"}}});
  const std::string open(70, '['), close(70, ']');
  struct Case {
    const char* tool;
    std::string input, wanted;  // expected in the reason; empty: allowed
  };
  const Case cases[] = {
      {"Bash", R"({"command":"rm -f x # \udc80"})", "blocks the command \"rm\""},
      {"Bash", R"({"command":"rm -f x \u0000"})", "blocks the command \"rm\""},
      {"Bash", R"({"command":"git push\u0000x"})", "cannot be judged"},
      {"Bash", R"({"command":"r\u0000m x"})", "cannot be judged"},
      {"Bash", R"({"command":"cat \ud83d\ud83d/x"})", "cannot be judged"},
      {"Bash", R"({"command":"echo \ud83d\ude00"})", ""},
      {"Bash", R"({"command":"echo \ufffd"})", ""},
      {"Bash", R"({"command":"rm a","command":"ls a"})", "blocks the command \"rm\""},
      {"Bash", R"({"command":"ls a","command":"rm a"})", "blocks the command \"rm\""},
      {"Bash", R"({"command":"rm a","command":"ls a","command":"ls b"})",
       "blocks the command \"rm\""},
      {"Bash", R"({"command":"ls a","command":"ls b"})", ""},
      {"Bash", R"({"command":"ls a"},"tool_input":{"command":"ls b"})", "occurs twice"},
      {"Write", R"({"file_path":"/srv/a","content":"x\ud83d y"})", ""},
      {"Write", R"({"file_path":"/srv/a","content":"x\u0000 y"})", ""},
      {"Write", R"({"file_path":"/etc/a","content":"x\ud83d y"})", "/etc/a"},
      {"Write", R"({"file_path":"/srv/\ud83d/a","content":"x"})", "cannot be judged"},
      {"Write", R"({"file_path":"/etc/a","file_path":"/srv/a","content":"x"})", "/etc/a"},
      {"Write", R"({"content":)" + open + close + R"(,"file_path":"/srv/a"})", "64 levels"},
      {"Tool",
       R"({"input":")" + std::string(R"({\"path\":\"/etc/a\",\"path\":\"/srv/a\"})") + "\"}",
       "different ways"},
      {"Tool", R"({"input":")" + std::string(R"({\"path\":\"/srv/\\ud83d\"})") + "\"}",
       "different ways"},
      {"Tool", R"({"size":1e999,"file_path":"/srv/a"})", ""},
  };
  for (const auto& [tool, input, wanted] : cases) {
    const std::string reason = Denial(tool, input);
    EXPECT_EQ(reason.empty(), wanted.empty()) << input.substr(0, 99) << ": " << reason;
    EXPECT_NE(reason.find(wanted), std::string::npos) << input.substr(0, 99) << ": " << reason;
  }
  Limit({{"auditTools", {"bash"}}});
  for (const auto& [tool, input, wanted] : cases)
    EXPECT_EQ(Denial(tool, input), "") << input.substr(0, 99);
}

TEST_F(OddEvents, OfMoreThanEightMiBHeadAndTailAreRecordedAndJudged) {
  Limit({{"blockedCommands", {"rm"}}, {"allowedPaths", {"/srv"}}});
  const std::string filler(9 << 20, 'x');
  EXPECT_EQ(Denial("Write", R"({"file_path":"/srv/a","content":")" + filler + "\"}"), "");
  const std::string outside =
      Denial("Write", R"({"content":")" + filler + R"(","file_path":"/etc/a"})");
  EXPECT_NE(outside.find("allows no access to /etc/a"), std::string::npos) << outside;
  const std::string hidden =
      Denial("Bash", R"({"command":"echo )" + filler + "; rm a; echo " + filler + "\"}");
  EXPECT_NE(hidden.find("cannot be judged"), std::string::npos) << hidden;
  const std::string plain = Denial("Bash", R"({"command":"rm a; echo )" + filler + "\"}");
  EXPECT_NE(plain.find("blocks the command \"rm\""), std::string::npos) << plain;
  EXPECT_EQ(Post("PostToolUse", R"("tool_name":"Bash","tool_response":"begin )" + filler +
                                    R"( end","tool_use_id":"t1")")
                .status,
            200);
  const Json messages = Messages();
  ASSERT_EQ(messages.size(), 2u);
  const std::string output = messages[1]["content"];
  EXPECT_TRUE(output.starts_with("begin x") && output.ends_with("x end"));
  EXPECT_EQ(messages[1]["tool_call_id"], "t1");
}

// Events without a Content-Length: a short one is read whole, a long one is cut.
TEST_F(OddEvents, InChunksTheyAreTheSame) {
  const int port =
      std::stoi(running_->api_address().substr(running_->api_address().rfind(':') + 1));
  for (const size_t size : {size_t{300'000}, size_t{9'000'000}}) {
    const std::string body = R"({"session_id":"c)" + std::to_string(size) +
                             R"(","hook_event_name":"UserPromptSubmit","prompt":")" +
                             std::string(size, 'x') + "\"}";
    std::string request =
        "POST /v1/hooks HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        "Transfer-Encoding: chunked\r\n\r\n";
    for (size_t at = 0; at < body.size(); at += 65'536) {
      const std::string piece = body.substr(at, 65'536);
      std::ostringstream length;
      length << std::hex << piece.size();
      request += length.str() + "\r\n" + piece + "\r\n";
    }
    const std::string answer = testing::Exchange(port, request + "0\r\n\r\n", 30'000);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
    EXPECT_EQ(Messages("c" + std::to_string(size)).size(), 1u);
  }
}

TEST_F(OddEvents, WhatIsNoJsonIsRefusedAndSaidOnceAMinuteWithoutItsContents) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Post("Stop", "sesame").status, 400);
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string line = "hook events are refused";
  const size_t first = log.find(line);
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find(line, first + 1), std::string::npos) << log;
  EXPECT_EQ(log.find("sesame"), std::string::npos) << log;
}

}  // namespace
}  // namespace sidecar
