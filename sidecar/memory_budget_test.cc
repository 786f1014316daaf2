// Shows concurrent large hooks: a hook over the memory budget gets 503 before it sends its body;
// the others and all small hooks are served.
#include <gtest/gtest.h>

#include "lib/testing/eventually.h"
#include "lib/testing/raw_socket.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using testing::RawSocket;
using testing::StatusOf;

constexpr int64_t kOfAContainer = (128 << 20) / 100 * 40;
constexpr int64_t kPatienceMs = 120'000;  // large bodies, on a busy machine, with a sanitizer

class MemoryBudget : public SidecarTest {
 protected:
  static int PortOf(const std::string& address) {
    return std::stoi(address.substr(address.rfind(':') + 1));
  }
  int api_port() const { return PortOf(running_->api_address()); }
  double Gauge(const std::string& name) const {
    const std::string text =
        testing::Exchange(PortOf(running_->admin_address()),
                          "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }
  static std::string Event(size_t output_bytes, const std::string& id) {
    return base::DumpJson({{"hook_event_name", "PostToolUse"},
                           {"session_id", "s1"},
                           {"tool_name", "Bash"},
                           {"tool_use_id", id},
                           {"tool_input", {{"command", "make"}}},
                           {"tool_response", std::string(output_bytes, 'x')}});
  }
  static std::string Head(size_t body_bytes) {
    return "POST /v1/hooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body_bytes) + "\r\n\r\n";
  }
};

TEST_F(MemoryBudget, EightLargeHooksAtOnceStayWithinIt) {
  Start([](SidecarSettings& settings) { settings.memory_budget = kOfAContainer; });
  const std::string body = Event(7'800'000, "large");
  std::vector<RawSocket> hooks;
  for (int i = 0; i < 8; ++i) hooks.emplace_back(api_port()).Send(Head(body.size()));
  // A refused client gets the answer before it sends a byte of the body.
  std::vector<RawSocket*> waiting;
  size_t refused = 0;
  for (RawSocket& hook : hooks) waiting.push_back(&hook);
  ASSERT_TRUE(testing::Eventually([&] {
    std::erase_if(waiting, [&](RawSocket* hook) {
      const std::string answer = hook->ReadUntil("}", 10);
      if (answer.empty()) return false;
      EXPECT_EQ(StatusOf(answer), 503) << answer;
      EXPECT_NE(answer.find("Retry-After: "), std::string::npos) << answer;
      ++refused;
      return true;
    });
    return refused == 7;
  }));
  EXPECT_EQ(Hook("PostToolUse",
                 {{"tool_name", "Bash"},
                  {"tool_input", {{"command", "ls"}}},
                  {"tool_response", "error: small"},
                  {"tool_use_id", "small"}},
                 "s1")
                .status,
            200)
      << "who sends little is served meanwhile";
  ASSERT_EQ(waiting.size(), 1u);
  ASSERT_TRUE(waiting[0]->Send(body, kPatienceMs));
  EXPECT_EQ(StatusOf(waiting[0]->ReadAnswer(kPatienceMs)), 200);
  EXPECT_TRUE(testing::Eventually([&] { return Gauge("agent_memory_budget_used_bytes") == 0; }));
  EXPECT_LE(Gauge("agent_memory_budget_highest_bytes"), Gauge("agent_memory_budget_limit_bytes"));
  EXPECT_GE(Gauge("agent_memory_budget_highest_bytes"), 7'800'000 * 3);
  EXPECT_EQ(Ask("GET", "/conversations/s1/messages").body["messages"].size(), 2u + 2u)
      << "of the large one that was taken, and of the small one";
}

TEST_F(MemoryBudget, WhatNeverFitsIs413AndASettingMakesRoom) {
  Start([](SidecarSettings& settings) { settings.memory_budget = 4 << 20; });
  const std::string body = Event(1'000'000, "t1");
  RawSocket hook(api_port());
  hook.Send(Head(body.size()));
  const std::string answer = hook.ReadUntil("}");
  EXPECT_EQ(StatusOf(answer), 413) << answer;
  EXPECT_NE(answer.find("memory-budget"), std::string::npos) << answer;
  Start([](SidecarSettings& settings) { settings.memory_budget = 16 << 20; });
  EXPECT_EQ(StatusOf(testing::Exchange(api_port(), Head(body.size()) + body, kPatienceMs)), 200);
}

TEST_F(MemoryBudget, APageOfAConversationCountsWhileItIsBuilt) {
  Start([](SidecarSettings& settings) { settings.memory_budget = 8 << 20; });
  const base::Json message = {{"role", "user"}, {"content", std::string(250'000, 'x')}};
  const base::Json two = {{"messages", {message, message}}};
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Ask("POST", "/conversations/c1/messages", two).status, 200);
  const Reply refused = Ask("GET", "/conversations/c1/messages");
  EXPECT_EQ(refused.status, 503) << "2.5 MB, ten with its copies";
  EXPECT_NE(refused.body["error"].get<std::string>().find("memory-budget"), std::string::npos);
  EXPECT_EQ(Ask("GET", "/conversations/c1/messages?limit=2").body["messages"].size(), 2u);
  EXPECT_TRUE(testing::Eventually([&] { return Gauge("agent_memory_budget_used_bytes") == 0; }));
}

// The sidecar drops the values beyond the memory budget and accepts the event.
TEST_F(MemoryBudget, OfManySmallValuesAsManyAreKeptAsThereIsRoomFor) {
  Start([](SidecarSettings& settings) { settings.memory_budget = kOfAContainer; });
  std::string values = "[";
  while (values.size() < 2'000'000) values += "{},";
  const std::string body =
      R"({"hook_event_name":"PostToolUse","session_id":"s1","tool_name":"Bash","tool_response":)" +
      values + "0]}";
  const std::string answer = testing::Exchange(api_port(), Head(body.size()) + body, kPatienceMs);
  EXPECT_EQ(StatusOf(answer), 200) << answer;
  EXPECT_EQ(AskAdmin("/livez").status, 200);
  const base::Json messages = Ask("GET", "/conversations/s1/messages").body["messages"];
  ASSERT_EQ(messages.size(), 2u);
  const std::string kept = messages[1]["content"].get<std::string>();
  // On a slow machine the time budget of redaction may run out; text that was not searched for
  // secrets is not stored.
  EXPECT_TRUE(kept.find("[more left out]") != std::string::npos ||
              kept.find("[not stored: redaction ran out of its time budget") != std::string::npos)
      << kept.substr(kept.size() - std::min<size_t>(kept.size(), 200));
}

}  // namespace
}  // namespace sidecar
