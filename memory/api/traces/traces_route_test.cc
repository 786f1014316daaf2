// Traces as a client of AgentOS' memory tools meets them.
#include "lib/base/process/clock.h"
#include "memory/api/traces/traces_fixture.h"

namespace memory {
namespace {

TEST_F(TracesRouteTest, TraceIsReturnedWithAllFields) {
  const Json more = {{"type", "semantic"},
                     {"tags", {"preference", "ui"}},
                     {"emotions", {{"valence", 0.5}}},
                     {"metadata", {{"importance", 0.9}}},
                     {"source", {{"origin", "agent"}, {"tool", "memory_add"}}}};
  const std::string id = Add("User prefers dark mode.", more);
  EXPECT_EQ(id.size(), 3 + 36u);
  EXPECT_TRUE(id.starts_with("mt_"));
  const Json trace = Trace(id);
  const Json wanted = {{"id", id},
                       {"type", "semantic"},
                       {"scope", "user"},
                       {"scopeId", "default"},
                       {"content", "User prefers dark mode."},
                       {"strength", 1.0},
                       {"tags", {"preference", "ui"}},
                       {"emotions", {{"valence", 0.5}}},
                       {"metadata", {{"importance", 0.9}}},
                       {"createdAt", clock_.NowMs()},
                       {"lastAccessed", clock_.NowMs()},
                       {"retrievalCount", 0},
                       {"observationId", trace["observationId"]},
                       {"project", "default"},
                       {"source", {{"origin", "agent"}, {"tool", "memory_add"}}},
                       {"edges", Json::array()},
                       {"mergedInto", nullptr},
                       {"sources", Json::array()},
                       {"revisions", 1}};
  EXPECT_EQ(trace, wanted);
  const Json bare = Trace(Add("Something happened."));
  EXPECT_EQ(bare["type"], "episodic");
  EXPECT_EQ(bare["scope"], "user");
  EXPECT_EQ(Call("GET", "/traces/mt_unheard").status, 404);
}

TEST_F(TracesRouteTest, EqualTraceIsStoredOncePerTypeAndScope) {
  const std::string first = Add("tea");
  const Answered again = Call("POST", "/traces", {{"content", "tea"}, {"tags", {"other"}}});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body["traceId"], first);
  EXPECT_NE(Add("Tea"), first) << "a digest knows case";
  EXPECT_NE(Add("tea", {{"type", "semantic"}}), first);
  EXPECT_NE(Add("tea", {{"scope", "persona"}}), first);
  EXPECT_NE(Add("tea", Json::object(), "ann"), first);
  EXPECT_NE(Add("tea", {{"project", "q"}}), first);
  EXPECT_EQ(Call("DELETE", "/traces/" + first).body, Json({{"deleted", true}}));
  EXPECT_NE(Add("tea"), first) << "what is deleted is not there";
}

TEST_F(TracesRouteTest, TraceIsAnObservationOnEveryOtherPath) {
  const std::string id = Add("The pump of the north well failed.", {{"tags", {"pump"}}});
  const int64_t row = Trace(id)["observationId"];
  EXPECT_EQ(Get("/search?q=pump&project=default").body[0]["id"], row);
  EXPECT_EQ(Get("/context?project=default&query=pump").body["recent_observations"].size(), 1u);
  EXPECT_EQ(Get("/observations/" + std::to_string(row)).body["type"], "episodic");
  EXPECT_EQ(Patch("/observations/" + std::to_string(row), {{"content", "It was repaired."}}).status,
            200);
  EXPECT_EQ(Trace(id)["content"], "It was repaired.");
  EXPECT_EQ(Delete("/observations/" + std::to_string(row)).status, 204);
  EXPECT_EQ(Call("GET", "/traces/" + id).status, 404) << "one memory";
}

TEST_F(TracesRouteTest, EarlierObservationIsReadAsATrace) {
  Json note = NoteBody("The cache is write-through.", "default");
  note["type"] = "decision";
  const int64_t row = MustPost(note);
  const Ids found = Found({{"query", "write-through cache"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "mt_00000000-0000-8000-8000-00000000000" + std::to_string(row));
  const Json trace = Trace(found[0]);
  EXPECT_EQ(trace["type"], "semantic");
  EXPECT_EQ(trace["scope"], "persona");
  EXPECT_EQ(trace["observationId"], row);
  EXPECT_EQ(Call("PATCH", "/traces/" + found[0], {{"tags", {"cache"}}}).body["updated"], true);
  EXPECT_EQ(Get("/observations/" + std::to_string(row)).body["tags"], Json({"cache"}));
  const std::string other = Add("Another.");
  EXPECT_EQ(Call("PUT", "/traces/" + found[0] + "/edges/" + other, {{"weight", 0.5}}).status, 200);
  EXPECT_EQ(Trace(found[0])["edges"][0]["to"], other);
  EXPECT_EQ(Call("DELETE", "/traces/" + found[0], {{"reason", "outdated"}}).body["deleted"], true);
  EXPECT_EQ(Get("/observations/" + std::to_string(row)).status, 404);
  const Json gone = Call("GET", "/traces/" + found[0] + "?deleted=true").body;
  EXPECT_EQ(gone["reason"], "outdated");
}

TEST_F(TracesRouteTest, UpdateReplacesGivenFieldsAndKeepsARevision) {
  const std::string id = Add("User prefers dark mode.", {{"tags", {"ui"}}});
  EXPECT_EQ(Call("PATCH", "/traces/" + id, {{"content", "User prefers a bright screen."}}).body,
            Json({{"updated", true}}));
  const Json trace = Trace(id);
  EXPECT_EQ(trace["content"], "User prefers a bright screen.");
  EXPECT_EQ(trace["tags"], Json({"ui"}));
  EXPECT_EQ(trace["revisions"], 2);
  EXPECT_EQ(Found({{"query", "dark mode"}}), Ids());
  EXPECT_EQ(Found({{"query", "bright"}}), Ids{id});
  EXPECT_NE(Add("User prefers dark mode."), id) << "its old text is free";
  EXPECT_EQ(Call("PATCH", "/traces/mt_none", {{"tags", {"x"}}}).body, Json({{"updated", false}}));
  EXPECT_EQ(Call("PATCH", "/traces/" + id, Json::object()).status, 400);
  EXPECT_EQ(Call("PATCH", "/traces/" + id,
                 {{"content", "by an agent"}, {"source", {{"origin", "agent"}}}})
                .status,
            403)
      << "a user wrote it";
}

TEST_F(TracesRouteTest, DeletedTraceIsKeptWithItsReason) {
  const std::string id = Add("wrong");
  EXPECT_EQ(Call("DELETE", "/traces/" + id, {{"reason", "harmful"}}).body["deleted"], true);
  EXPECT_EQ(Call("DELETE", "/traces/" + id).body, Json({{"deleted", false}}));
  EXPECT_EQ(Call("DELETE", "/traces/mt_none").body, Json({{"deleted", false}}));
  EXPECT_EQ(Found({{"query", "wrong"}}), Ids());
  EXPECT_EQ(Call("GET", "/traces/" + id).status, 404);
  const Json kept = Call("GET", "/traces/" + id + "?deleted=true").body;
  EXPECT_EQ(kept["content"], "wrong");
  EXPECT_EQ(kept["reason"], "harmful");
  EXPECT_EQ(kept["deletedAt"], clock_.NowMs());
}

// What a sidecar sends: it says who asks by headers.
TEST_F(TracesRouteTest, AgreeableAgentGetsTwoMoreResults) {
  for (int i = 0; i < 15; ++i) Add("fact " + std::to_string(i) + " about tea");
  Json question = {{"query", "tea"}};
  EXPECT_EQ(Found(question).size(), 10u);
  question["settings"] = {{"personality", {{"agreeableness", 0.8}}}};
  EXPECT_EQ(Found(question).size(), 12u);
  question["limit"] = 3;
  EXPECT_EQ(Found(question).size(), 3u) << "who says how many gets that many";
  question["settings"] = {{"personality", {{"agreeableness", 8}}}};
  EXPECT_EQ(Call("POST", "/traces/search", question).status, 400);
}

TEST_F(TracesRouteTest, MergeUnitesTagsAndEdgesAndUnmergeRestores) {
  const std::string a = Add("Docker Compose", {{"tags", {"deploy", "docker"}}});
  clock_.Advance(7 * kDayMs);
  const std::string b = Add("blue-green", {{"tags", {"deploy", "strategy"}}});
  const std::string c = Add("Fridays"), other = Add("unrelated");
  Call("PUT", "/traces/" + a + "/edges/" + other, {{"kind", "about"}, {"weight", 0.25}});
  Call("PUT", "/traces/" + other + "/edges/" + b);
  Call("PUT", "/traces/" + a + "/edges/" + b);
  const Answered merged = Call("POST", "/traces/merge", {{"traceIds", {a, b, c, a}}});
  ASSERT_EQ(merged.status, 200) << merged.body;
  EXPECT_EQ(merged.body["sourcesDeleted"], 3);
  const std::string id = merged.body["mergedTraceId"];
  const Json trace = Trace(id);
  EXPECT_EQ(trace["content"], "Docker Compose\nblue-green\nFridays");
  EXPECT_EQ(trace["tags"], Json({"deploy", "docker", "strategy"}));
  EXPECT_EQ(trace["strength"], 1.0) << "the strongest's";
  EXPECT_EQ(trace["sources"], Json({a, b, c}));
  ASSERT_EQ(trace["edges"].size(), 1u) << trace;
  EXPECT_EQ(trace["edges"][0], Json({{"to", other}, {"kind", "about"}, {"weight", 0.25}}));
  EXPECT_EQ(Trace(other)["edges"][0]["to"], id);
  EXPECT_EQ(Trace(other)["edges"].size(), 1u);
  EXPECT_EQ(Call("GET", "/traces/" + a).status, 404);
  EXPECT_EQ(Call("GET", "/traces/" + a + "?deleted=true").body["mergedInto"], id);
  EXPECT_EQ(Found({{"query", "docker compose"}}), Ids{id});

  EXPECT_EQ(Call("POST", "/traces/" + id + "/unmerge").body, Json({{"restored", {a, b, c}}}));
  EXPECT_EQ(Call("GET", "/traces/" + id).status, 404);
  EXPECT_EQ(Found({{"query", "docker compose"}}), Ids{a});
  EXPECT_EQ(Trace(a)["edges"].size(), 2u);
  EXPECT_EQ(Trace(other)["edges"][0]["to"], b);
  EXPECT_EQ(Trace(a)["mergedInto"], nullptr);
  EXPECT_EQ(Call("POST", "/traces/" + id + "/unmerge").status, 404);
  EXPECT_EQ(Call("POST", "/traces/" + a + "/unmerge").status, 400) << "it was not merged";
}

TEST_F(TracesRouteTest, InvalidMergeChangesNothing) {
  const std::string a = Add("alpha"), b = Add("beta"), p = Add("gamma", {{"scope", "persona"}});
  const auto refused = [&](const Json& body, const std::string& named) {
    const Answered answer = Call("POST", "/traces/merge", body);
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_NE(answer.body.dump().find(named), std::string::npos) << answer.body;
  };
  refused({{"traceIds", {a}}}, "traceIds");
  refused({{"traceIds", {a, a}}}, "1");
  refused({{"traceIds", {a, 7}}}, "traceIds");
  refused({{"traceIds", {a, "mt_none"}}}, "mt_none");
  refused({{"traceIds", {a, b, p}}}, "persona");
  refused({{"traceIds", Ids(101, a)}}, "101");
  refused(Json::object(), "traceIds");
  EXPECT_EQ(Found({{"query", "alpha beta gamma"}}).size(), 3u);
  const std::string long_one = Add(std::string(30'000, 'x')), other = Add(std::string(30'000, 'y'));
  refused({{"traceIds", {long_one, other}}}, "60001");
  EXPECT_EQ(
      Call("POST", "/traces/merge", {{"traceIds", {long_one, other}}, {"content", "short"}}).status,
      200);
}

TEST_F(TracesRouteTest, StrengthDecaysAndARetrievalRaisesIt) {
  const std::string id = Add("the well");
  clock_.Advance(7 * kDayMs);
  EXPECT_NEAR(Trace(id)["strength"].get<double>(), 0.3679, 1e-4);
  EXPECT_NEAR(Trace(id)["strength"].get<double>(), 0.3679, 1e-4) << "looking is no retrieval";
  const Answered found = Call("POST", "/traces/search", {{"query", "well"}});
  EXPECT_NEAR(found.body["results"][0]["strength"].get<double>(), 0.3679, 1e-4);
  Json trace = Trace(id);
  EXPECT_NEAR(trace["strength"].get<double>(), 0.4679, 1e-4);
  EXPECT_EQ(trace["retrievalCount"], 1);
  EXPECT_EQ(trace["lastAccessed"], clock_.NowMs());
  Start();
  trace = Trace(id);
  EXPECT_EQ(trace["retrievalCount"], 1) << "an orderly end keeps it";
  clock_.Advance(14 * kDayMs);
  EXPECT_NEAR(Trace(id)["strength"].get<double>(), 0.4679 * 0.3679, 1e-4) << "lasts twice as long";
}

TEST_F(TracesRouteTest, ContextRanksTheStrongerTraceFirst) {
  const std::string lasting = Add("the well is deep", {{"type", "semantic"}});
  const std::string fading = Add("the well is deep", {{"type", "episodic"}});
  const auto first = [&] {
    return Get("/context?project=default&query=well&limit=1").body["recent_observations"][0]["id"];
  };
  EXPECT_EQ(first(), Trace(fading)["observationId"]) << "the newer of two that are as strong";
  clock_.Advance(20 * kDayMs);
  EXPECT_EQ(first(), Trace(lasting)["observationId"]);
}

TEST_F(TracesRouteTest, EachAcceptedTimeSurvivesExportAndImport) {
  for (const char* time : {"0001-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "1970-01-01T00:00:00Z",
                           "9999-12-31T23:59:59Z"})
    Add(std::string("do it at ") + time, {{"type", "prospective"}, {"remindAt", time}});
  const Json before = {
      {"content", "x"}, {"type", "prospective"}, {"remindAt", "1969-12-31T23:59:59Z"}};
  EXPECT_EQ(Call("POST", "/traces", before).status, 400) << "no reader would take it back";
  const std::string file = base::DumpJson(Get("/export").body);
  StartEmpty();
  const Json report = Post("/import", base::ParseJson(file).value_or(Json())).body;
  EXPECT_EQ(report["errors"], Json::array()) << report;
  EXPECT_EQ(report["imported_traces"], 4) << report;
}

TEST_F(TracesRouteTest, ProspectiveTraceIsDueAtItsTime) {
  const std::string soon =
      Add("call Ann",
          {{"type", "prospective"}, {"remindAt", base::FormatTime(clock_.NowMs() + kDayMs)}});
  const std::string later =
      Add("call Bob", {{"type", "prospective"}, {"remindAt", clock_.NowMs() + 2 * kDayMs}});
  Add("call Eve", {{"type", "prospective"}, {"remindAt", clock_.NowMs()}}, "eve");
  EXPECT_EQ(Get("/traces/due").body["traces"], Json::array());
  clock_.Advance(kDayMs);
  Json due = Get("/traces/due").body["traces"];
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0]["id"], soon);
  EXPECT_EQ(due[0]["remindAt"], clock_.NowMs());
  EXPECT_EQ(due[0]["revisions"], 1);
  clock_.Advance(kDayMs);
  due = Get("/traces/due").body["traces"];
  EXPECT_EQ(due[0]["id"], later);
  EXPECT_EQ(Get("/traces/due?limit=1").body["traces"].size(), 1u);
  EXPECT_EQ(Get("/context?query=pump&due=3").body["due"], due);
  EXPECT_FALSE(Get("/context?query=pump").body.contains("due"));
  Call("DELETE", "/traces/" + later);
  EXPECT_EQ(Get("/traces/due").body["traces"].size(), 1u);
  clock_.Advance(kDueDays * kDayMs);
  EXPECT_EQ(Get("/traces/due").body["traces"], Json::array()) << "nobody took it for a month";
}

TEST_F(TracesRouteTest, ScoreListsItsParts) {
  const std::string plain = Add("the pump failed twice");
  const std::string important = Add("the pump failed again", {{"metadata", {{"importance", 1}}},
                                                              {"emotions", {{"valence", -1}}}});
  const std::string linked = Add("the pump and more words that nobody asked for");
  Call("PUT", "/traces/" + important + "/edges/" + linked);
  const Json results =
      Call("POST", "/traces/search", {{"query", "pump failed"}, {"mood", {{"valence", -1}}}})
          .body["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["id"], important);
  const Json parts = results[0]["scores"];
  EXPECT_EQ(parts["importance"], 1.0);
  EXPECT_EQ(parts["emotion"], 1.0);
  EXPECT_EQ(parts["strength"], 1.0);
  EXPECT_EQ(parts["recency"], 1.0);
  EXPECT_GT(parts["lexical"].get<double>(), 0);
  for (const Json& one : results) {
    EXPECT_GE(one["score"].get<double>(), 0);
    EXPECT_LE(one["score"].get<double>(), 1);
    EXPECT_EQ(one["scores"]["graph"], one["id"] == linked ? 1.0 : 0.0) << one;
  }
  EXPECT_EQ(Found({{"query", "pump"}, {"limit", 1}}).size(), 1u);
  EXPECT_EQ(Found({{"query", "pump"}, {"type", "semantic"}}), Ids());
}

TEST_F(TracesRouteTest, ValidOperatorsApplyAndOthersAreWords) {
  const std::string exact = Add("the dark mode is on");
  Add("the mode is dark");
  EXPECT_EQ(Found({{"query", "\"dark mode\""}}), Ids{exact});
  EXPECT_EQ(Found({{"query", "dark NOT on"}}).size(), 1u);
  EXPECT_EQ(Found({{"query", "\"\" dark"}}).size(), 2u);
  EXPECT_EQ(Found({{"query", "what is it with the dark mode?"}}).size(), 2u);
}

TEST_F(TracesRouteTest, PairHasOneEdgeWithBoundedWeight) {
  const std::string a = Add("a trace"), b = Add("b trace");
  EXPECT_EQ(Call("PUT", "/traces/" + a + "/edges/" + b).body,
            Json({{"to", b}, {"kind", "related"}, {"weight", 1.0}}));
  Call("PUT", "/traces/" + a + "/edges/" + b, {{"kind", "causes"}, {"weight", 0}});
  EXPECT_EQ(Trace(a)["edges"], Json({{{"to", b}, {"kind", "causes"}, {"weight", 0.0}}}));
  EXPECT_EQ(Call("PUT", "/traces/" + a + "/edges/" + a).status, 400);
  EXPECT_EQ(Call("PUT", "/traces/" + a + "/edges/" + b, {{"weight", 1.5}}).status, 400);
  EXPECT_EQ(Call("PUT", "/traces/" + a + "/edges/mt_none").status, 404);
  EXPECT_EQ(Call("DELETE", "/traces/" + a + "/edges/" + b).status, 204);
  EXPECT_EQ(Call("DELETE", "/traces/" + a + "/edges/" + b).status, 404);
}

TEST_F(TracesRouteTest, ErrorNamesTheInvalidField) {
  const std::vector<std::pair<Json, std::string>> bodies = {
      {{{"content", ""}}, "content"},
      {{{"content", 7}}, "content"},
      {{{"content", std::string(50'001, 'c')}}, "50001"},
      {{{"type", "emotional"}}, "type"},
      {{{"type", 1}}, "type"},
      {{{"scope", "galaxy"}}, "scope"},
      {{{"tags", Ids(21, "t")}}, "tags"},
      {{{"tags", "t"}}, "tags"},
      {{{"emotions", {1}}}, "emotions"},
      {{{"metadata", "m"}}, "metadata"},
      {{{"remindAt", "2026-05-01T00:00:00Z"}}, "prospective"},
      {{{"type", "prospective"}, {"remindAt", "soon"}}, "remindAt"},
      {{{"type", "prospective"}, {"remindAt", -1}}, "remindAt"},
      {{{"conversation", std::string(201, 'c')}}, "conversation"}};
  for (const auto& [wrong, named] : bodies) {
    Json body = {{"content", "c"}};
    body.update(wrong);
    const Answered refused = Call("POST", "/traces", body);
    EXPECT_EQ(refused.status, 400) << wrong.dump().substr(0, 80);
    EXPECT_NE(refused.body.dump().find(named), std::string::npos) << refused.body;
  }
  EXPECT_EQ(
      Call("POST", "/traces", {{"content", "c"}, {"metadata", {{"m", std::string(16 << 10, 'm')}}}})
          .status,
      413);
  EXPECT_EQ(Call("POST", "/traces", {{"content", "c"}}, std::string(201, 'u')).status, 400);
  for (const Json& wrong : {Json{{"limit", 0}}, Json{{"limit", 101}}, Json{{"query", ""}},
                            Json{{"type", "x"}}, Json{{"mood", {{"valence", 2}}}}}) {
    Json body = {{"query", "q"}};
    body.update(wrong);
    EXPECT_EQ(Call("POST", "/traces/search", body).status, 400) << wrong;
  }
  EXPECT_EQ(Get("/stats").body["total_observations"], 0) << "nothing was changed";
}

}  // namespace
}  // namespace memory
