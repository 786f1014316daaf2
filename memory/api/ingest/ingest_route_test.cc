// Auto-ingest as a client of AgentOS meets it: a turn goes in, its facts are found.
#include "lib/testing/eventually.h"
#include "memory/api/traces/traces_fixture.h"

namespace memory {
namespace {

class IngestRouteTest : public TracesRouteTest {
 protected:
  // → the decisions, once there are any.
  Json Ingest(const Json& body, const std::string& user = "") {
    const Answered taken = Call("POST", "/ingest/turns", body, user);
    EXPECT_EQ(taken.status, 202) << taken.body;
    return FactsOf(taken.body.value("turn", ""), user);
  }
  Json FactsOf(const std::string& turn, const std::string& user = "") {
    Json state;
    EXPECT_TRUE(::testing::Eventually([&] {
      state = Call("GET", "/ingest/turns/" + turn, nullptr, user).body;
      return state.value("state", "") == "done";
    })) << state;
    return state.value("facts", Json::array());
  }
};

TEST_F(IngestRouteTest, PreferenceBecomesASemanticTraceOfItsUser) {
  const Json facts = Ingest({{"user", "I prefer dark roast coffee over tea."},
                             {"assistant", "Noted!"},
                             {"conversation", "c1"}},
                            "ann");
  ASSERT_EQ(facts.size(), 1u) << facts;
  EXPECT_EQ(facts[0]["category"], "user_preference");
  EXPECT_EQ(facts[0]["decision"], "stored");
  EXPECT_EQ(facts[0]["threshold"], 0.4);
  const std::string id = facts[0]["traceId"];
  EXPECT_EQ(Call("GET", "/traces/" + id).status, 404) << "it is Ann's";
  const Json trace = Call("GET", "/traces/" + id, nullptr, "ann").body;
  EXPECT_EQ(trace["type"], "semantic");
  EXPECT_EQ(trace["scope"], "user");
  EXPECT_EQ(trace["tags"], Json({"auto", "user_preference"}));
  EXPECT_EQ(trace["metadata"]["collection"], "auto_memories");
  EXPECT_EQ(trace["metadata"]["category"], "user_preference");
  EXPECT_TRUE(trace["metadata"]["sourceTurn"].get<std::string>().starts_with("turn_"));
  EXPECT_EQ(trace["metadata"]["importance"], facts[0]["importance"]);
  EXPECT_NE(trace["content"].get<std::string>().find("dark roast"), std::string::npos);
  EXPECT_EQ(Get("/search?q=coffee&project=default").body.size(), 1u) << "every path finds it";
}

TEST_F(IngestRouteTest, EqualFactIsStoredOncePerUser) {
  const Json body = {{"user", "I prefer dark roast coffee."}};
  EXPECT_EQ(Ingest(body)[0]["decision"], "stored");
  const Json again = Ingest(body);
  EXPECT_EQ(again[0]["decision"], "duplicate");
  EXPECT_EQ(again[0]["traceId"], nullptr);
  EXPECT_EQ(Ingest(body, "bob")[0]["decision"], "stored") << "another user's";
}

TEST_F(IngestRouteTest, SettingsAndPersonalityChangeTheThreshold) {
  const std::string said =
      "I prefer dark roast coffee. I want to learn Rust this year. I live in Oslo.";
  const Json one = Ingest({{"user", said}, {"settings", {{"maxPerTurn", 1}}}}, "a");
  int stored = 0;
  for (const Json& fact : one) stored += fact["decision"] == "stored";
  EXPECT_EQ(stored, 1) << one;
  const Json none = Ingest({{"user", said}, {"settings", {{"importanceThreshold", 1}}}}, "b");
  ASSERT_FALSE(none.empty());
  for (const Json& fact : none) EXPECT_EQ(fact["decision"], "below") << none;
  EXPECT_EQ(Ingest({{"user", said}, {"settings", {{"enabled", false}}}}, "c"), Json::array());
  const Json open = Ingest({{"user", said},
                            {"settings",
                             {{"storage", {{"autoIngest", {{"importanceThreshold", 0.4}}}}},
                              {"personality", {{"openness", 0.9}}}}}},
                           "d");
  EXPECT_NEAR(open[0]["threshold"].get<double>(), 0.3, 1e-9);
}

TEST_F(IngestRouteTest, RepeatedKeyReturnsTheSameTurn) {
  const Json body = {{"user", "I prefer tea."}};
  const Answered first = Post("/ingest/turns", body, "k"), again = Post("/ingest/turns", body, "k");
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.body["turn"], first.body["turn"]);
  EXPECT_EQ(Post("/ingest/turns", {{"user", "I prefer milk."}}, "k").status, 422);
  EXPECT_EQ(FactsOf(first.body["turn"]).size(), 1u);
  const std::string retry = "/ingest/turns/" + first.body["turn"].get<std::string>() + "/retry";
  EXPECT_EQ(Call("POST", retry).status, 409) << "it is done";
  EXPECT_EQ(Call("POST", retry, nullptr, "ann").status, 404) << "it is nobody's in particular";
}

TEST_F(IngestRouteTest, ThirtyThousandTokensWriteAnObserverNote) {
  Ingest({{"user", "I prefer dark roast coffee."}});
  Ingest({{"user", "I live in Oslo."}});
  const std::string much(60'000, 'x');
  Ingest({{"user", much}});
  EXPECT_EQ(Found({{"query", "observed"}}).size(), 0u);
  Ingest({{"user", much}});
  std::vector<std::string> notes;
  EXPECT_TRUE(::testing::Eventually([&] {
    notes = Found({{"query", "observed"}, {"type", "episodic"}});
    return notes.size() == 1;
  }));
  const Json note = Trace(notes.at(0));
  EXPECT_EQ(note["tags"], Json({"auto", "observer"}));
  EXPECT_NE(note["content"].get<std::string>().find("Oslo"), std::string::npos);
  EXPECT_NE(note["content"].get<std::string>().find("coffee"), std::string::npos);
  EXPECT_TRUE(::testing::Eventually([&] {
    return Get("/traces/reflect/runs").body["runs"].size() == 1;
  })) << "and a run of consolidation after forty";
}

TEST_F(IngestRouteTest, ConscientiousAgentConsolidatesAtHalfTheTokens) {
  const Json settings = {{"personality", {{"conscientiousness", 0.9}}}};
  for (const char* user : {"calm", "eager"}) {
    Json turn = {{"user", std::string(62'000, 'x')}};
    if (user == std::string("eager")) turn["settings"] = settings;
    Ingest(turn, user);
  }
  const auto runs = [&](const char* user) {
    return Call("GET", "/traces/reflect/runs", nullptr, user).body["runs"].size();
  };
  EXPECT_TRUE(::testing::Eventually([&] { return runs("eager") == 1; }));
  EXPECT_EQ(runs("calm"), 0u);
}

TEST_F(IngestRouteTest, ErrorNamesTheInvalidField) {
  const std::vector<std::pair<Json, std::string>> bodies = {
      {Json::object(), "user"},
      {{{"user", 7}}, "user"},
      {{{"user", "u"}, {"settings", 1}}, "settings"},
      {{{"user", "u"}, {"settings", {{"enabled", "yes"}}}}, "enabled"},
      {{{"user", "u"}, {"settings", {{"importanceThreshold", 2}}}}, "importanceThreshold"},
      {{{"user", "u"}, {"settings", {{"maxPerTurn", 21}}}}, "maxPerTurn"},
      {{{"user", "u"}, {"settings", {{"personality", {{"openness", "high"}}}}}}, "openness"},
      {{{"user", "u"}, {"settings", {{"storage", {{"autoIngest", 1}}}}}}, "autoIngest"}};
  for (const auto& [body, named] : bodies) {
    const Answered refused = Call("POST", "/ingest/turns", body);
    EXPECT_EQ(refused.status, 400) << body;
    EXPECT_NE(refused.body.dump().find(named), std::string::npos) << refused.body;
  }
  EXPECT_EQ(Call("POST", "/ingest/turns", {{"user", std::string((64 << 10) + 1, 'u')}}).status,
            413);
  EXPECT_EQ(Get("/ingest/turns/turn_none").status, 404);
  EXPECT_EQ(Call("POST", "/ingest/turns/turn_none/retry").status, 404);
}

}  // namespace
}  // namespace memory
