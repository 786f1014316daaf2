// Shows that due prospective traces come first in the injection of a prompt, once a conversation.
#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class DueTracesTest : public SidecarTest {
 protected:
  void Use(const Json& memory) {
    directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", memory}}));
    Start();
  }
  // A due trace in the form of GET /context.
  static Json Due(int64_t id, const std::string& content, const std::string& origin = "user") {
    return {{"id", "mt_" + std::to_string(id)},
            {"observationId", id},
            {"type", "prospective"},
            {"content", content},
            {"revisions", 1},
            {"remindAt", 1'711'234'567'000},
            {"source", {{"origin", origin}}}};
  }
  static Json Recalled(int64_t id, const std::string& content) {
    return {{"id", id},           {"type", "prospective"}, {"title", content},
            {"content", content}, {"revision_count", 1},   {"trust", "user"}};
  }
  void ServerHas(const Json& due, const Json& recalled) {
    memory_.With([&](StubMemory& stub) {
      stub.context["due"] = due;
      stub.context["recent_observations"] = recalled;
    });
  }
  static std::string ContextOf(const Reply& reply) {
    return base::StringAt(reply.body, {"hookSpecificOutput", "additionalContext"});
  }
};

TEST_F(DueTracesTest, TheyStandFirstAndOnceInAConversation) {
  Use({{"tools", "agentos"}, {"user", "ana"}});
  ServerHas({Due(7, "call the dentist"), Due(8, "said by a tool", "tool-output")},
            {Recalled(9, "unrelated"), Recalled(7, "call the dentist")});
  const std::string text = ContextOf(Prompt("what is there to do"));
  const size_t due = text.find(
      "- [id 7; type \"prospective\"; source user; trust user] due since 2024-03-23T22:56:07");
  ASSERT_NE(due, std::string::npos) << text;
  EXPECT_LT(due, text.find("[id 9")) << text;
  EXPECT_EQ(text.find("[id 7", due + 5), std::string::npos) << "found twice, shown once";
  EXPECT_EQ(text.find("said by a tool"), std::string::npos) << "trust decides here, too";
  const StubMemory::Call call = memory_.LastCall();
  EXPECT_TRUE(call.target.starts_with("/context?")) << call.target;
  EXPECT_NE(call.target.find("&due=3"), std::string::npos) << "no request of its own";
  EXPECT_NE(call.target.find("&conversation=c1"), std::string::npos);
  EXPECT_EQ(call.user + " " + call.agent, "ana coder");
  EXPECT_EQ(ContextOf(Prompt("and now")), "") << "the same revision by either way";
  EXPECT_NE(ContextOf(Prompt("hello", "c2")).find("call the dentist"), std::string::npos);
}

TEST_F(DueTracesTest, AnAgentWithoutTracesAsksForNone) {
  ServerHas({Due(7, "call the dentist")}, Json::array());
  Prompt("what is there to do");
  EXPECT_EQ(memory_.LastCall().target.find("due="), std::string::npos);
  Use({{"autoIngest", Json::object()}});
  EXPECT_NE(ContextOf(Prompt("what is there to do", "c2")), "");
}

TEST_F(DueTracesTest, AServerWithoutThemCostsNothingElse) {
  Use({{"tools", "agentos"}});
  memory_.With(
      [](StubMemory& stub) { stub.context["recent_observations"] = {Recalled(9, "unrelated")}; });
  EXPECT_NE(ContextOf(Prompt("what is there to do")).find("[id 9"), std::string::npos);
}

}  // namespace
}  // namespace sidecar
