// Insights of a chat model behind a run of consolidation, as a client meets them.
#include "lib/testing/eventually.h"
#include "memory/api/traces/traces_fixture.h"
#include "memory/endpoint/chat/fake_chat_fixture.h"

namespace memory {
namespace {

constexpr const char* kInsight = R"({"insights": [
    {"content": "The pump fails when it rains.", "importance": 0.8, "sources": [1, 2]}]})";

class DeriveRouteTest : public TracesRouteTest {
 protected:
  DeriveRouteTest() {
    chat_.Say(kInsight);
    StartDeriving(true);
  }
  void StartDeriving(bool derive) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("derive");
    settings.lock_wait_ms = 0;
    if (derive) settings.extraction.url = chat_.url();
    settings.extraction.model = "small";
    settings.extraction.deadline_ms = 60'000;
    settings.extraction.derive = derive;
    auto server = StartServer(settings);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
  }
  // Traces that are found together.
  Ids AddPumps(const std::string& origin = "user", const Json& more = Json::object()) {
    Ids ids;
    for (const char* text : {"The pump failed on Monday.", "It rained when the pump failed.",
                             "The pump of the north well is blue."}) {
      Json body = {{"source", {{"origin", ids.empty() ? origin : "user"}}}};
      body.update(more);
      ids.push_back(Add(text, body));
    }
    EXPECT_EQ(Found({{"query", "pump"}}).size(), 3u);
    return ids;
  }
  std::string Reflect() {
    const Answered answer = Call("POST", "/traces/reflect", Json::object());
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body["derive"], "pending");
    EXPECT_EQ(answer.body["derived"], 0);
    return answer.body.value("runId", "");
  }
  Json Run(const std::string& id) {
    const Json runs = Get("/traces/reflect/runs").body["runs"];
    for (const Json& run : runs)
      if (run["runId"] == id) return run;
    return {};
  }
  Json Ended(const std::string& id) {
    Json run;
    EXPECT_TRUE(::testing::Eventually([&] {
      run = Run(id);
      return run["derive"] != "pending";
    })) << run;
    return run;
  }
  Json Insights() {
    Json found = Json::array();
    for (const std::string& id : Found({{"query", "fails when it rains"}}))
      if (const Json trace = Trace(id); trace["tags"] == Json({"insight"})) found.push_back(trace);
    return found;
  }
  FakeChat chat_;
};

TEST_F(DeriveRouteTest, InsightIsATraceWithEdgesToItsSources) {
  const Ids pumps = AddPumps();
  const Json run = Ended(Reflect());
  EXPECT_EQ(run["derive"], "done");
  EXPECT_EQ(run["derived"], 1);
  const Json insights = Insights();
  ASSERT_EQ(insights.size(), 1u);
  const Json& insight = insights[0];
  EXPECT_EQ(insight["content"], "The pump fails when it rains.");
  EXPECT_EQ(insight["type"], "semantic");
  EXPECT_EQ(insight["tags"], Json({"insight"}));
  EXPECT_EQ(insight["source"]["origin"], "agent") << "no insight is a user's word";
  EXPECT_EQ(insight["metadata"]["derivedBy"], run["runId"]);
  EXPECT_EQ(insight["metadata"]["importance"], 0.8);
  const Json memories = chat_.turn()["memories"];
  ASSERT_EQ(memories.size(), 3u);
  std::set<std::string> sources, shown{memories[0]["content"], memories[1]["content"]};
  for (const Json& edge : insight["edges"]) {
    EXPECT_EQ(edge["kind"], "derived_from");
    sources.insert(Trace(edge["to"])["content"]);
  }
  EXPECT_EQ(sources, shown);
}

TEST_F(DeriveRouteTest, CoveredTracesAreNotSentAgain) {
  AddPumps();
  Ended(Reflect());
  EXPECT_EQ(chat_.requests(), 1);
  Add("The pump has a new seal.");
  Found({{"query", "pump"}});
  EXPECT_EQ(Ended(Reflect())["derived"], 0);
  EXPECT_EQ(chat_.requests(), 1) << "two are left, with the one that is new";
}

TEST_F(DeriveRouteTest, InsightHasTheLowestTrustOfItsInputs) {
  const Ids pumps = AddPumps("tool-output");
  Ended(Reflect());
  ASSERT_EQ(Insights().size(), 1u);
  EXPECT_EQ(Insights()[0]["source"]["origin"], "tool-output");
}

TEST_F(DeriveRouteTest, UndoDeletesInsights) {
  AddPumps();
  const std::string run = Reflect();
  Ended(run);
  const std::string insight = Insights()[0]["id"];
  const Answered undone = Call("POST", "/traces/reflect/runs/" + run + "/undo");
  EXPECT_EQ(undone.body["derived"], 1) << undone.body;
  EXPECT_EQ(Insights(), Json::array());
  EXPECT_EQ(Call("GET", "/traces/" + insight + "?deleted=true").body["reason"], "underived");
  EXPECT_EQ(Ended(Reflect())["derived"], 0) << "nobody wanted it";
}

TEST_F(DeriveRouteTest, FailedModelLosesOnlyTheInsightsOfTheRun) {
  AddPumps();
  chat_.Set(FakeChat::Way::kStatus, 400);
  const Json run = Ended(Reflect());
  EXPECT_EQ(run["derive"], "skipped, the extraction endpoint: refused");
  EXPECT_EQ(run["strengthened"], 3);
  chat_.Set(FakeChat::Way::kAnswer);
  EXPECT_EQ(Ended(Reflect())["derived"], 1) << "the next run asks again";
}

TEST_F(DeriveRouteTest, HangingDerivationIsResumedAfterARestart) {
  AddPumps();
  chat_.Set(FakeChat::Way::kHang);
  const std::string run = Reflect();
  ASSERT_TRUE(::testing::Eventually([&] { return chat_.hanging() == 1; }));
  Add("Writes and runs go on.");
  const Answered undone = Call("POST", "/traces/reflect/runs/" + Reflect() + "/undo");
  EXPECT_EQ(undone.status, 200) << undone.body;
  StartDeriving(false);
  EXPECT_EQ(Run(run)["derive"], "pending") << "it waits for a model";
  chat_.Set(FakeChat::Way::kAnswer);
  StartDeriving(true);
  Get("/traces/reflect/runs");
  EXPECT_EQ(Ended(run)["derived"], 1);
  EXPECT_EQ(Insights().size(), 1u);
}

TEST_F(DeriveRouteTest, UndoneRunGetsNoInsights) {
  AddPumps();
  chat_.Set(FakeChat::Way::kHang);
  const std::string run = Reflect();
  ASSERT_TRUE(::testing::Eventually([&] { return chat_.hanging() == 1; }));
  Call("POST", "/traces/reflect/runs/" + run + "/undo");
  chat_.Set(FakeChat::Way::kAnswer);
  EXPECT_EQ(Ended(run)["derive"], "skipped, the run was undone");
  EXPECT_EQ(Insights(), Json::array());
}

// Also of those that it does not name as its sources: they may be in its words all the same.
TEST_F(DeriveRouteTest, InputsChangedMeanwhileYieldNoInsight) {
  Ids pumps = AddPumps();
  for (const bool gone : {true, false}) {
    chat_.Set(FakeChat::Way::kHang);
    const std::string run = Reflect();
    ASSERT_TRUE(::testing::Eventually([&] { return chat_.hanging() == 1; }));
    const std::string trace = "/traces/" + pumps.back();
    const Answered changed =
        gone ? Call("DELETE", trace) : Call("PATCH", trace, {{"content", "The well is green."}});
    EXPECT_LT(changed.status, 300) << changed.body;
    chat_.Set(FakeChat::Way::kAnswer);
    const Json ended = Ended(run);
    EXPECT_EQ(ended["derive"], "done");
    EXPECT_EQ(ended["derived"], 0) << ended;
    EXPECT_EQ(Insights(), Json::array());
    pumps.push_back(Add("A pump of the south well."));
    Found({{"query", "pump"}});
  }
}

TEST_F(DeriveRouteTest, OtherUsersTracesAreNotSentToTheModel) {
  const Ids pumps = AddPumps();
  for (const char* text : {"The pump of Eve.", "Eve's pump failed.", "Eve likes the pump."})
    Add(text, Json::object(), "eve");
  Found({{"query", "pump"}}, "eve");
  Ended(Reflect());
  EXPECT_EQ(chat_.requests(), 1);
  EXPECT_EQ(chat_.asked().dump().find("Eve"), std::string::npos) << chat_.asked();
}

}  // namespace
}  // namespace memory
