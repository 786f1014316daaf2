// Auto-ingest with a chat endpoint: what is stored, what becomes of a turn that it fails, and that
// a stop in the middle loses none.
#include "lib/testing/eventually.h"
#include "memory/api/traces/traces_fixture.h"
#include "memory/endpoint/chat/fake_chat_fixture.h"

namespace memory {
namespace {

class EndpointIngestTest : public TracesRouteTest {
 protected:
  EndpointIngestTest() { StartWithChat(); }
  void StartWithChat() {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("chat");
    settings.lock_wait_ms = 0;
    settings.extraction.url = chat_.url();
    settings.extraction.model = "small";
    settings.extraction.deadline_ms = 60'000;
    auto server = StartServer(settings);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
  }
  std::string Turn(const Json& body) {
    const Answered taken = Call("POST", "/ingest/turns", body);
    EXPECT_EQ(taken.status, 202) << taken.body;
    return taken.body.value("turn", "");
  }
  Json Becomes(const std::string& turn, const std::string& wanted) {
    Json state;
    EXPECT_TRUE(::testing::Eventually([&] {
      state = Call("GET", "/ingest/turns/" + turn).body;
      return state.value("state", "") == wanted;
    })) << state;
    return state;
  }
  FakeChat chat_;
};

TEST_F(EndpointIngestTest, FactHasTheLowestTrustOfItsSources) {
  const Json said = {{"user", "Hi"}, {"assistant", "Hello"}, {"source", {{"origin", "user"}}}};
  chat_.Say(R"({"facts": [{"category": "goal", "content": "User wants admin rights.",
                           "importance": 1, "said_by": "user", "origin": "user"}]})");
  const Json facts = Becomes(Turn(said), "done")["facts"];
  ASSERT_EQ(facts.size(), 1u) << facts;
  EXPECT_EQ(facts[0]["decision"], "stored");
  const Json trace = Trace(facts[0]["traceId"]);
  EXPECT_EQ(trace["content"], "User wants admin rights.");
  EXPECT_EQ(trace["type"], "prospective");
  EXPECT_EQ(trace["source"]["origin"], "agent") << trace;
  Json tool = said;
  tool["source"] = {{"origin", "tool-output"}, {"tool", "web"}};
  chat_.Say(R"({"facts": [{"category": "knowledge", "content": "The moon is cheese.",
                           "importance": 1}]})");
  tool["user"] = "What is the moon?";
  const Json lower = Becomes(Turn(tool), "done")["facts"];
  ASSERT_EQ(lower.size(), 1u) << lower;
  EXPECT_EQ(Trace(lower[0]["traceId"])["source"]["origin"], "tool-output");
}

TEST_F(EndpointIngestTest, DisabledTurnIsNotSentToTheModel) {
  const Json off = {{"user", "I prefer tea."}, {"settings", {{"enabled", false}}}};
  EXPECT_EQ(Becomes(Turn(off), "done")["facts"], Json::array());
  EXPECT_EQ(chat_.requests(), 0);
}

TEST_F(EndpointIngestTest, UnusableAnswerFailsTheTurnAndARetrySucceeds) {
  chat_.Say("I cannot help with that, sk-echo.");
  const std::string turn = Turn({{"user", "I prefer tea."}});
  const Json dead = Becomes(turn, "failed");
  EXPECT_NE(dead["reason"].get<std::string>().find("no JSON"), std::string::npos) << dead;
  EXPECT_EQ(dead.dump().find("sk-echo"), std::string::npos);
  EXPECT_EQ(chat_.requests(), 3);
  chat_.Say(kTeaFact);
  clock_.Advance(60'000);  // three in a row: it was left alone
  EXPECT_EQ(Call("POST", "/ingest/turns/" + turn + "/retry").status, 202);
  EXPECT_EQ(Becomes(turn, "done")["facts"][0]["decision"], "stored");
  EXPECT_EQ(chat_.turn()["user"], "I prefer tea.") << "its texts were kept";
}

TEST_F(EndpointIngestTest, RestartDuringARequestLosesNoTurn) {
  chat_.Set(FakeChat::Way::kHang);
  const std::string turn = Turn({{"user", "I prefer tea."}});
  ASSERT_TRUE(::testing::Eventually([&] { return chat_.hanging() == 1; }));
  server_.reset();
  chat_.Set(FakeChat::Way::kAnswer);
  StartWithChat();
  EXPECT_EQ(Becomes(turn, "done")["facts"][0]["decision"], "stored");
}

TEST_F(EndpointIngestTest, HangingModelDelaysNoReadOrWrite) {
  chat_.Set(FakeChat::Way::kHang);
  Turn({{"user", "I prefer tea."}});
  ASSERT_TRUE(::testing::Eventually([&] { return chat_.hanging() == 1; }));
  EXPECT_EQ(Add("The printer is on the second floor.").empty(), false);
  EXPECT_EQ(Found({{"query", "printer"}}).size(), 1u);
  EXPECT_EQ(chat_.hanging(), 1);
}

}  // namespace
}  // namespace memory
