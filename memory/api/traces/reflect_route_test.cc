// Consolidation as a client of AgentOS' memory tools meets it.
#include "memory/api/traces/traces_fixture.h"

namespace memory {
namespace {

class ReflectRouteTest : public TracesRouteTest {
 protected:
  Json Reflect(const Json& body = Json::object(), const std::string& user = "") {
    const Answered answer = Call("POST", "/traces/reflect", body, user);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body;
  }
  static Json Counts(const Json& answer) {
    Json counts;
    for (const char* field : {"pruned", "merged", "strengthened", "derived", "compacted"})
      counts.push_back(answer[field]);
    return counts;
  }
  Json Undo(const Json& run) {
    return Call("POST", "/traces/reflect/runs/" + run["runId"].get<std::string>() + "/undo").body;
  }
};

TEST_F(ReflectRouteTest, UndoUsesTheProjectOfItsBody) {
  const std::string faded = Add("a thing of the past", {{"project", "p"}});
  clock_.Advance(21 * kDayMs);
  const Json run = Reflect({{"project", "p"}});
  ASSERT_EQ(Counts(run), Json({1, 0, 0, 0, 0}));
  const std::string path = "/traces/reflect/runs/" + run["runId"].get<std::string>() + "/undo";
  EXPECT_EQ(Call("POST", path, {{"project", "q"}}).status, 404);
  EXPECT_EQ(Call("POST", path, {{"project", "p"}}).status, 200);
  EXPECT_EQ(Call("GET", "/traces/" + faded + "?project=p").status, 200);
}

TEST_F(ReflectRouteTest, FadedTraceIsPrunedAndRestoredByUndo) {
  const std::string faded = Add("a thing of the past");
  const std::string semantic = Add("a fact that lasts", {{"type", "semantic"}});
  const std::string open = Add("to be done", {{"type", "prospective"}});
  const std::string eves = Add("of somebody else", Json::object(), "eve");
  const int64_t note = MustPost(NoteBody("no trace", "default"));
  clock_.Advance(21 * kDayMs);
  const Json planned = Reflect({{"dryRun", true}});
  EXPECT_EQ(Counts(planned), Json({1, 0, 0, 0, 0}));
  EXPECT_EQ(planned["dryRun"], true);
  EXPECT_EQ(planned["runId"], nullptr);
  EXPECT_EQ(Trace(faded)["content"], "a thing of the past") << "a dry run changes nothing";
  const Json run = Reflect();
  EXPECT_EQ(Counts(run), Json({1, 0, 0, 0, 0}));
  EXPECT_EQ(run["derive"], "skipped, no model");
  EXPECT_TRUE(run["durationMs"].is_number());
  EXPECT_EQ(Call("GET", "/traces/" + faded).status, 404);
  const Json kept = Call("GET", "/traces/" + faded + "?deleted=true").body;
  EXPECT_EQ(kept["reason"], "pruned by run " + run["runId"].get<std::string>());
  for (const std::string& id : {semantic, open}) Trace(id);
  EXPECT_EQ(Call("GET", "/traces/" + eves, nullptr, "eve").status, 200);
  EXPECT_EQ(Get("/observations/" + std::to_string(note)).status, 200);
  EXPECT_EQ(Counts(Reflect()), Json({0, 0, 0, 0, 0}));

  const Json runs = Get("/traces/reflect/runs").body["runs"];
  ASSERT_EQ(runs.size(), 2u) << "a dry run is none";
  EXPECT_EQ(runs[1]["runId"], run["runId"]);
  EXPECT_EQ(Counts(runs[1]), Counts(run));
  EXPECT_EQ(runs[1]["undoneAt"], nullptr);
  EXPECT_EQ(Call("GET", "/traces/reflect/runs", nullptr, "eve").body["runs"], Json::array());
  EXPECT_EQ(Call("POST", "/traces/reflect/runs/" + run["runId"].get<std::string>() + "/undo",
                 nullptr, "eve")
                .status,
            404);
  EXPECT_EQ(Counts(Undo(run)), Json({1, 0, 0, 0, 0}));
  EXPECT_EQ(Trace(faded)["content"], "a thing of the past");
  EXPECT_EQ(Get("/traces/reflect/runs").body["runs"][1]["undoneAt"], clock_.NowMs());
  EXPECT_EQ(Counts(Undo(run)), Json({0, 0, 0, 0, 0})) << "once";
}

TEST_F(ReflectRouteTest, EqualTracesAreMergedAndUndoRestoresThem) {
  const std::string a = Add("User likes tea", {{"tags", {"drink"}}});
  const std::string b = Add("user  likes TEA", {{"tags", {"hot"}}});
  const std::string other = Add("user likes TEA ", {{"type", "semantic"}});
  const std::string friends = Add("a friend");
  Call("PUT", "/traces/" + b + "/edges/" + friends);
  const Json run = Reflect();
  EXPECT_EQ(Counts(run), Json({0, 1, 0, 0, 0}));
  const std::string merged = Call("GET", "/traces/" + a + "?deleted=true").body["mergedInto"];
  const Json trace = Trace(merged);
  EXPECT_EQ(trace["content"], "User likes tea");
  EXPECT_EQ(trace["tags"], Json({"drink", "hot"}));
  EXPECT_EQ(trace["sources"], Json({a, b}));
  EXPECT_EQ(trace["edges"][0]["to"], friends);
  Trace(other);
  EXPECT_EQ(Counts(Undo(run)), Json({0, 1, 0, 0, 0}));
  EXPECT_EQ(Trace(a)["tags"], Json({"drink"}));
  EXPECT_EQ(Trace(b)["edges"][0]["to"], friends);
  EXPECT_EQ(Call("GET", "/traces/" + merged).status, 404);
}

TEST_F(ReflectRouteTest, TracesFoundTogetherAreLinked) {
  const std::string a = Add("the pump of the well"), b = Add("the pump was repaired");
  const std::string linked = Add("the pump is blue");
  Call("PUT", "/traces/" + a + "/edges/" + linked, {{"kind", "about"}, {"weight", 0.5}});
  Found({{"query", "pump"}});
  EXPECT_EQ(Counts(Reflect({{"dryRun", true}})), Json({0, 0, 3, 0, 0}));
  const Json run = Reflect();
  EXPECT_EQ(Counts(run), Json({0, 0, 3, 0, 0}));
  Json edges = Trace(a)["edges"];
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0], Json({{"to", linked}, {"kind", "about"}, {"weight", 0.5}}));
  EXPECT_EQ(edges[1]["kind"], "coactivated");
  EXPECT_NEAR(edges[1]["weight"].get<double>(), 0.1, 1e-9);
  EXPECT_EQ(Counts(Reflect()), Json({0, 0, 0, 0, 0})) << "a pair counts once";
  Found({{"query", "pump"}});
  const Json second = Reflect();
  EXPECT_NEAR(Trace(b)["edges"][0]["weight"].get<double>(), 0.19, 1e-9);
  Undo(second);
  EXPECT_NEAR(Trace(b)["edges"][0]["weight"].get<double>(), 0.1, 1e-9);
  Undo(run);
  EXPECT_EQ(Trace(b)["edges"], Json::array());
  EXPECT_EQ(Trace(a)["edges"].size(), 1u) << "what somebody linked stays";
}

TEST_F(ReflectRouteTest, UsedOldEpisodeIsCompactedToASemanticTrace) {
  std::string text = "The pump of the north well failed in the night.";
  for (int i = 0; i < 20; ++i) text += " Detail " + std::to_string(i) + " was noted by the crew.";
  const std::string id = Add(text), brief = Add("The pump is blue and failed.");
  for (int i = 0; i < 6; ++i) {
    Found({{"query", "pump failed"}});
    clock_.Advance(5 * kDayMs);
  }
  const Json nothing = Get("/traces/" + id + "/original").body;
  EXPECT_EQ(nothing, Json({{"verbatimContent", nullptr}, {"archivedAt", nullptr}}));
  const Json run = Reflect();
  EXPECT_EQ(run["compacted"], 2) << run;
  const Json trace = Trace(id);
  EXPECT_EQ(trace["type"], "semantic");
  EXPECT_LE(trace["content"].get<std::string>().size(), 400u);
  EXPECT_TRUE(trace["content"].get<std::string>().starts_with("The pump of the north well"));
  EXPECT_EQ(Trace(brief)["content"], "The pump is blue and failed.");
  const Json original = Get("/traces/" + id + "/original").body;
  EXPECT_EQ(original["verbatimContent"], text);
  EXPECT_EQ(original["archivedAt"], clock_.NowMs());
  EXPECT_EQ(Get("/traces/" + brief + "/original").body["verbatimContent"], nullptr);
  EXPECT_EQ(Get("/traces/mt_none/original").status, 404);
  EXPECT_EQ(Call("GET", "/traces/" + id + "/original", nullptr, "eve").status, 404);
  EXPECT_EQ(Undo(run)["compacted"], 2);
  EXPECT_EQ(Trace(id)["type"], "episodic");
  EXPECT_EQ(Trace(id)["content"], text);
  EXPECT_EQ(Get("/traces/" + id + "/original").body["verbatimContent"], nullptr);
}

TEST_F(ReflectRouteTest, UndoKeepsLaterChanges) {
  std::string text = "A long text begins here.";
  for (int i = 0; i < 30; ++i) text += " Sentence " + std::to_string(i) + " follows the others.";
  const std::string id = Add(text);
  for (int i = 0; i < 6; ++i) {
    Found({{"query", "sentence text"}});
    clock_.Advance(5 * kDayMs);
  }
  const Json run = Reflect();
  ASSERT_EQ(run["compacted"], 1) << run;
  Call("PATCH", "/traces/" + id, {{"content", "written anew"}});
  EXPECT_EQ(Undo(run)["compacted"], 0);
  EXPECT_EQ(Trace(id)["content"], "written anew");
}

TEST_F(ReflectRouteTest, AgentsRunPrunesNoUserTrace) {
  Add("of the user");
  Add("of the agent", {{"source", {{"origin", "agent"}}}});
  clock_.Advance(30 * kDayMs);
  EXPECT_EQ(Reflect({{"source", {{"origin", "agent"}}}})["pruned"], 1);
  EXPECT_EQ(Reflect()["pruned"], 1);
}

TEST_F(ReflectRouteTest, HardDeleteRemovesTheOriginal) {
  std::string text = "xylophone.";
  for (int i = 0; i < 60; ++i) text += " Another sentence number " + std::to_string(i) + ".";
  const std::string id = Add(text);
  for (int i = 0; i < 6; ++i) {
    Found({{"query", "sentence"}});
    clock_.Advance(5 * kDayMs);
  }
  ASSERT_EQ(Reflect()["compacted"], 1);
  const std::string row = "/observations/" + Trace(id)["observationId"].dump();
  EXPECT_EQ(Delete(row + "?hard=true").status, 204);
  EXPECT_EQ(Call("GET", "/traces/" + id + "?deleted=true").status, 404);
  EXPECT_EQ(Get("/traces/" + id + "/original").status, 404);
}

TEST_F(ReflectRouteTest, InvalidFieldsAre400) {
  EXPECT_EQ(Call("POST", "/traces/reflect", {{"dryRun", "yes"}}).status, 400);
  EXPECT_EQ(Call("POST", "/traces/reflect", {{"topic", 7}}).status, 400);
  EXPECT_EQ(Get("/traces/reflect/runs?limit=x").status, 400);
  EXPECT_EQ(Call("POST", "/traces/reflect").status, 200) << "no body at all";
}

}  // namespace
}  // namespace memory
