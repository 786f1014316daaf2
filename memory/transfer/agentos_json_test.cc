// AgentOS' JSON goes out and comes in.
#include <fstream>

#include "lib/sqlite/database.h"
#include "memory/transfer/agentos_fixture.h"

namespace memory {
namespace {

class AgentOsJsonTest : public AgentOsFixture {
 protected:
  static Json Brain(const Json& traces, const Json& edges = Json::array()) {
    return {{"traces", traces}, {"edges", edges}};
  }
};

TEST_F(AgentOsJsonTest, ExportedTracesEqualTheRoutesAnswers) {
  const std::string a = Add("tea", {{"type", "semantic"},
                                    {"tags", {"drink"}},
                                    {"metadata", {{"importance", 1}}},
                                    {"emotions", {{"valence", 0.5}}}});
  const std::string later =
      Add("call Ann", {{"type", "prospective"}, {"remindAt", 1'900'000'000'000}});
  MustPost(NoteBody("an observation", "default"));
  Call("PUT", "/traces/" + a + "/edges/" + later, {{"kind", "about"}, {"weight", 0.25}});
  const std::string gone = Add("gone");
  Call("DELETE", "/traces/" + gone);
  Found({{"query", "tea"}});
  clock_.Advance(kDayMs);
  const Json brain = ExportAgentOs();
  ASSERT_EQ(brain.size(), 8u) << brain;
  for (const char* empty :
       {"documents", "chunks", "images", "conversations", "messages", "consolidation_log"})
    EXPECT_EQ(brain[empty], Json::array()) << empty;
  ASSERT_EQ(brain["traces"].size(), 3u) << brain;
  for (const Json& trace : brain["traces"]) {
    const Json answered = Trace(trace["id"]);
    for (const auto& [field, value] : trace.items()) {
      if (field == "storedStrength") continue;
      EXPECT_EQ(value, answered[field]) << field << answered;
    }
  }
  EXPECT_EQ(brain["traces"][0]["id"], a);
  EXPECT_EQ(brain["traces"][0]["retrievalCount"], 1);
  EXPECT_LT(brain["traces"][0]["strength"], brain["traces"][0]["storedStrength"]);
  EXPECT_EQ(brain["edges"],
            Json::array({{{"from", a}, {"to", later}, {"kind", "about"}, {"weight", 0.25}}}));
  EXPECT_EQ(ExportAgentOs("&project=other")["traces"], Json::array());
}

TEST_F(AgentOsJsonTest, EmbeddingsAreExportedOnRequest) {
  ServerSettings settings;
  settings.data_dir = scratch_.File("meaning");
  settings.store.embedder = std::make_shared<WordBag>();
  auto server = StartServer(settings);
  ASSERT_TRUE(server) << server.error().message;
  server_ = std::move(*server);
  client_ = Connect(server_->api_address());
  Add("The dog barks at night.");
  EXPECT_FALSE(ExportAgentOs()["traces"][0].contains("embedding"));
  const Json brain = ExportAgentOs("&includeEmbeddings=true");
  const Json& trace = brain["traces"][0];
  ASSERT_TRUE(trace.contains("embedding")) << trace;
  double squares = 0;
  for (const Json& value : trace["embedding"]) squares += value.get<double>() * value.get<double>();
  EXPECT_NEAR(squares, 1, 1e-3);
  EXPECT_TRUE(trace["embeddingModel"].get<std::string>().starts_with("vectors/"));
  StartEmpty();
  EXPECT_EQ(MustImport(brain)["imported"], 1) << "an import makes its own";
  EXPECT_EQ(Get("/export?format=agentos-json&includeEmbeddings=maybe").status, 400);
  EXPECT_EQ(Get("/export?format=agentos-json&includeConversations=7").status, 400);
}

TEST_F(AgentOsJsonTest, ExportIsImportedCompletelyAndOnce) {
  const std::string compacted = AddCompacted();
  const Json original = OriginalOf(compacted);
  const std::string a = Add("tea", {{"tags", {"drink"}}, {"scope", "thread"}});
  const std::string anns = Add("tea", Json::object(), "ann");
  MustPost(NoteBody("an observation", "q"));
  Call("PUT", "/traces/" + compacted + "/edges/" + a);
  Post("/conversations/c-1/messages", {{"messages",
                                        {{{"role", "user"}, {"content", "hi \"there\""}},
                                         {{"role", "assistant"}, {"content", "ho"}}}}});
  clock_.Advance(1000);
  Post("/conversations/b/messages", {{"messages", {{{"role", "user"}, {"content", "x"}}}}});
  const Json brain = ExportAgentOs();
  ASSERT_EQ(brain["messages"].size(), 3u) << brain;
  ASSERT_EQ(brain["consolidation_log"].size(), 1u);
  EXPECT_EQ(ExportAgentOs("&includeConversations=false")["messages"], Json::array());
  StartEmpty();
  const Json report = MustImport(brain);
  EXPECT_EQ(report["imported"], 4) << report;
  EXPECT_EQ(report["imported_traces"], 4) << report;
  EXPECT_EQ(report["imported_edges"], 1);
  EXPECT_EQ(report["imported_conversations"], 2);
  EXPECT_EQ(report["imported_messages"], 3);
  EXPECT_EQ(report["errors"], Json::array());
  Json here = ExportAgentOs();
  EXPECT_EQ(here["consolidation_log"], Json::array()) << "a log of runs is of its server";
  here["consolidation_log"] = brain["consolidation_log"];
  EXPECT_EQ(here, brain);
  EXPECT_EQ(OriginalOf(compacted), original);
  EXPECT_EQ(Call("GET", "/traces/" + anns, nullptr, "ann").body["content"], "tea");
  const Json again = Post("/import", brain).body;
  EXPECT_EQ(again["imported"], 0) << again;
  EXPECT_EQ(again["imported_edges"], 0);
  EXPECT_EQ(again["imported_messages"], 0);
  EXPECT_EQ(again["skipped"], 4 + 1 + 2 + 3) << again;
  EXPECT_EQ(again["errors"], Json::array());
}

TEST_F(AgentOsJsonTest, OwnFormatsKeepOriginalsAndManyTags) {
  const std::string compacted = AddCompacted();
  const Json original = OriginalOf(compacted);
  std::vector<std::string> ids;
  for (int half = 0; half < 2; ++half) {
    Json tags = Json::array();
    for (int i = 0; i < 20; ++i) tags.push_back("t" + std::to_string(half * 20 + i));
    ids.push_back(Add("half " + std::to_string(half), {{"tags", tags}}));
  }
  const Json merged = Call("POST", "/traces/merge", {{"traceIds", ids}}).body;
  Start();
  const Json brain = ExportAgentOs();
  for (const std::string& format : Made({"json", "jsonl", "sqlite", "agentos-json"})) {
    const std::string text = ExportText(format);
    StartEmpty();
    const Answered imported = PostText("/import", text);
    EXPECT_EQ(imported.body["errors"], Json::array()) << format;
    EXPECT_EQ(OriginalOf(compacted), original) << format;
    EXPECT_EQ(Trace(merged["mergedTraceId"])["tags"].size(), 40u) << format;
    Json here = ExportAgentOs();
    here["consolidation_log"] = brain["consolidation_log"];
    EXPECT_EQ(here, brain) << format;
  }
}

// As AgentOS' JsonExporter writes its tables.
TEST_F(AgentOsJsonTest, BrainOfAgentOsIsImported) {
  const Json brain = {
      {"meta", {{"schema_version", "1"}, {"exported_at", "1711234567890"}}},
      {"traces",
       {{{"id", "mt_abc123"},
         {"type", "semantic"},
         {"scope", "user"},
         {"content", "User prefers TypeScript over Python"},
         {"strength", 0.87},
         {"created_at", 1711234567890},
         {"last_accessed", 1711234600000},
         {"retrieval_count", 3},
         {"tags", R"(["preference","language"])"},
         {"emotions", "{}"},
         {"metadata", R"({"source":"user_statement"})"},
         {"embedding", nullptr},
         {"deleted", 0}},
        {{"id", "trace-2"},
         {"type", "episodic"},
         {"scope", "session"},
         {"content", "Said hello."},
         {"strength", 1},
         {"created_at", 1711234567891},
         {"last_accessed", nullptr},
         {"retrieval_count", 0},
         {"tags", "[]"},
         {"emotions", "{}"},
         {"metadata", R"({"scopeId":"c9"})"},
         {"deleted", 0}},
        {{"id", "mt_gone"},
         {"content", "forgotten"},
         {"type", "semantic"},
         {"scope", "user"},
         {"strength", 0.1},
         {"created_at", 1},
         {"deleted", 1}},
        {{"content", "bare"}}}},
      {"nodes", {{{"id", "kn_1"}, {"label", "TypeScript"}}}},
      {"edges",
       {{{"id", "e1"},
         {"source_id", "mt_abc123"},
         {"target_id", "trace-2"},
         {"type", "SAID_IN"},
         {"weight", 0.5},
         {"bidirectional", 0}},
        {{"id", "e2"}, {"source_id", "kn_1"}, {"target_id", "mt_abc123"}, {"type", "IS_A"}}}},
      {"documents", {{{"id", "d"}, {"chunk_count", 1}}, {{"id", "e"}, {"chunk_count", 1}}}},
      {"conversations", {{{"id", "c9"}, {"title", "First"}, {"created_at", 5}, {"updated_at", 6}}}},
      {"messages",
       {{{"id", "m1"},
         {"conversation_id", "c9"},
         {"role", "user"},
         {"content", "hello"},
         {"created_at", 5},
         {"metadata", "{}"}}}}};
  for (const char* format : {"auto", "agentos-json"}) {
    StartEmpty();
    const Answered answer =
        Call("POST", std::string("/import?format=") + format, brain, "ann", "coder");
    Json report = answer.body;
    ASSERT_EQ(answer.status, 200) << report;
    EXPECT_EQ(report["imported"], 3) << report;
    EXPECT_EQ(report["skipped"], 1);
    EXPECT_EQ(report["imported_edges"], 1);
    EXPECT_EQ(report["imported_conversations"], 1);
    EXPECT_EQ(report["imported_messages"], 1);
    EXPECT_EQ(report["errors"], Json::array()) << report;
    EXPECT_EQ(report["imported_kept"], 4) << "a node, its edge, two documents";
    const Json trace = Call("GET", "/traces/mt_abc123", nullptr, "ann").body;
    EXPECT_EQ(trace["tags"], Json({"preference", "language"})) << trace;
    EXPECT_EQ(trace["metadata"]["source"], "user_statement");
    EXPECT_EQ(trace["createdAt"], 1711234567890);
    EXPECT_EQ(trace["lastAccessed"], 1711234600000);
    EXPECT_EQ(trace["retrievalCount"], 3);
    EXPECT_EQ(trace["scopeId"], "ann");
    EXPECT_EQ(trace["source"]["origin"], "import");
    EXPECT_EQ(Call("GET", "/traces/mt_abc123").status, 404) << "it is ann's";
    const Json here = ExportAgentOs();
    ASSERT_EQ(here["edges"].size(), 2u);
    EXPECT_EQ(here["edges"][0]["kind"], "SAID_IN");
    EXPECT_EQ(here["edges"][1], brain["edges"][1]);
    EXPECT_EQ(here["nodes"], brain["nodes"]);
    EXPECT_EQ(here["documents"], brain["documents"]);
    EXPECT_EQ(here["traces"][1]["scope"], "thread");
    EXPECT_EQ(here["traces"][1]["scopeId"], "c9");
    EXPECT_EQ(here["traces"][0]["storedStrength"], 0.87);
    EXPECT_EQ(here["traces"][2]["createdAt"], clock_.NowMs());
    EXPECT_EQ(here["conversations"][0]["metadata"]["title"], "First");
    EXPECT_EQ(Call("POST", "/import", brain, "ann").body["imported"], 0);
  }
}

TEST_F(AgentOsJsonTest, EqualTextIsSkippedOnlyInItsTypeAndScope) {
  const std::string tea = Add("tea");
  auto trace = [](const char* id, const char* type, const char* scope, const char* user) {
    return Json{
        {"id", id}, {"content", "tea"}, {"type", type}, {"scope", scope}, {"scopeId", user}};
  };
  const Json brain = Brain(
      {trace("mt_1", "episodic", "user", "default"), trace("mt_2", "semantic", "user", "default"),
       trace("mt_3", "episodic", "persona", "default"), trace("mt_4", "episodic", "user", "ann")},
      {{{"from", "mt_1"}, {"to", "mt_2"}, {"weight", 0.5}}});
  const Json report = MustImport(brain);
  EXPECT_EQ(report["imported"], 3) << report;
  EXPECT_EQ(report["skipped"], 1);
  EXPECT_EQ(Trace(tea)["edges"][0]["to"], "mt_2") << "an edge of the one that was there";
  EXPECT_EQ(MustImport(brain)["imported"], 0);
  EXPECT_EQ(MustImport(brain, "&dedup=false")["imported"], 1) << "mt_1 is another row now";
  EXPECT_EQ(MustImport(brain, "&dedup=false")["imported"], 0);
  EXPECT_EQ(Post("/import?dedup=perhaps", brain).status, 400);
}

TEST_F(AgentOsJsonTest, UsedIdIsMappedAlsoInEdges) {
  const std::string mine = Add("mine");
  const Json brain = Brain({{{"id", mine}, {"content", "theirs"}, {"createdAt", 7}},
                            {{"id", "mt_other"}, {"content", "other"}, {"createdAt", 7}}},
                           {{{"from", mine}, {"to", "mt_other"}, {"kind", "k"}}});
  EXPECT_EQ(MustImport(brain)["imported"], 2);
  EXPECT_EQ(Trace(mine)["content"], "mine");
  EXPECT_EQ(Trace(mine)["edges"], Json::array());
  const Json here = ExportAgentOs();
  ASSERT_EQ(here["edges"].size(), 1u);
  EXPECT_EQ(Trace(here["edges"][0]["from"])["content"], "theirs");
  EXPECT_EQ(MustImport(brain)["imported"], 0);
  EXPECT_EQ(ExportAgentOs(), here);
}

TEST_F(AgentOsJsonTest, DeletedTraceIsRestoredOnlyOnRequest) {
  const std::string gone = Add("gone"), kept = Add("kept");
  const Json brain = ExportAgentOs();
  Call("DELETE", "/traces/" + gone);
  const Json report = MustImport(brain);
  EXPECT_EQ(report["imported"], 0) << report;
  EXPECT_EQ(report["skipped_deleted"], 1);
  EXPECT_EQ(Call("GET", "/traces/" + gone).status, 404);
  EXPECT_EQ(MustImport(brain, "&restore=true")["imported"], 1);
  EXPECT_EQ(ExportAgentOs(), brain);
}

TEST_F(AgentOsJsonTest, InvalidTracesAreListedWithFieldLimitAndValue) {
  const Json good = {{"id", "mt_g"}, {"content", "good"}};
  Json traces = {good};
  std::vector<std::string> told;
  auto bad = [&](const char* field, const Json& value, const char* says) {
    Json wrong = good;
    wrong[field] = value;
    traces.push_back(wrong);
    told.push_back("trace " + std::to_string(traces.size() - 1) + ": ");
    told.back() += says;
  };
  bad("content", " ", "content is required");
  bad("content", std::string(50'001, 'x'), "content has 50001 characters, the limit is 50000");
  bad("type", "dream", "type must be one of episodic");
  bad("scope", "galaxy", "scope must be one of thread");
  bad("scopeId", std::string(201, 'u'), "scopeId has 201 characters, the limit is 200");
  bad("strength", 1.5, "strength must be a number from 0.0 to 1.0, it is 1.5");
  bad("createdAt", -1, "createdAt must be an RFC 3339 time");
  bad("retrievalCount", -2, "retrievalCount must be a whole number from 0 to 2^53, it is -2");
  bad("tags", "x", "tags must be an array");
  bad("metadata", {{"a", std::string(17'000, 'm')}}, "emotions and metadata have");
  bad("remindAt", 5, "remindAt is of prospective traces");
  traces.push_back("text");
  told.push_back("trace 12: a trace must be an object");
  const Json report =
      MustImport({{"edges", {{{"from", "mt_g"}, {"to", "mt_g"}, {"weight", 9}}, {{"to", "mt_g"}}}},
                  {"messages",
                   {{{"conversationId", ""}, {"role", "user"}},
                    {{"conversationId", "c"}, {"role", "x"}},
                    {{"conversationId", "c"}, {"role", "user"}, {"sequence", 9}}}},
                  {"traces", traces}});
  EXPECT_EQ(report["imported"], 1) << report;
  std::string all;
  for (const Json& error : report["errors"]) all += error.get<std::string>() + "\n";
  for (const std::string& one : told) EXPECT_NE(all.find(one), all.npos) << one << "\n" << all;
  EXPECT_NE(all.find("edge 0: weight must be a number from 0.0 to 1.0, it is 9"), all.npos) << all;
  EXPECT_NE(all.find("edge 1: from is required"), all.npos) << all;
  EXPECT_NE(all.find("message 2: conversation c has 0 messages here"), all.npos) << all;
  EXPECT_EQ(report["errors"].size(), told.size() + 5) << all;
  EXPECT_EQ(Post("/import?format=agentos-json", {{"memories", Json::array()}}).status, 400);
  EXPECT_EQ(PostText("/import?format=agentos-json", R"({"traces": [{"content": "cut)").status, 400);
}

// Names in order of letters: edges and messages before traces.
TEST_F(AgentOsJsonTest, OrderOfArraysDoesNotMatter) {
  Json edges = Json::array(), traces = Json::array();
  for (int i = 0; i < 1000; ++i) {
    traces.push_back({{"id", "x" + std::to_string(i)}, {"content", "trace " + std::to_string(i)}});
    edges.push_back(
        {{"from", "x" + std::to_string(i)}, {"to", "x" + std::to_string((i + 1) % 1000)}});
  }
  const Json report = MustImport(Brain(traces, edges));
  EXPECT_EQ(report["imported"], 1000) << report;
  EXPECT_EQ(report["imported_edges"], 1000);
  EXPECT_EQ(report["errors"], Json::array());
}

// What has no place here goes back as it came, whatever its size, by every format of ours.
TEST_F(AgentOsJsonTest, UnsupportedArraysAreKeptAndExported) {
  std::string large = "secretword ";
  for (int i = 0; large.size() < 110'000; ++i) large += "chunk " + std::to_string(i) + " ü\n";
  const Json brain = {
      {"documents", {{{"id", "d"}, {"title", "Manual"}, {"n", 1.5}}, "a bare one", 7}},
      {"chunks", {{{"id", "c"}, {"content", large}}, {{"id", "c2"}, {"content", "secretword"}}}},
      {"images", {{{"id", "i"}, {"mime_type", "image/png"}, {"data", std::string(60'000, 'A')}}}},
      {"nodes", {{{"id", "n"}, {"label", "Node"}, {"properties", {{"a", {1, nullptr}}}}}}},
      {"edges", {{{"from", "n"}, {"to", "m"}, {"type", "IS_A"}, {"extra", true}}}},
      {"traces", {{{"id", "mt_a"}, {"content", "tea"}, {"createdAt", 5}}}}};
  Json report = MustImport(brain);
  EXPECT_EQ(report["imported"], 1) << report;
  EXPECT_EQ(report["errors"], Json::array());
  const Json before = ExportAgentOs();
  for (const char* array : {"documents", "chunks", "images", "nodes", "edges"})
    EXPECT_EQ(before[array], brain[array]) << array;
  EXPECT_EQ(before["traces"].size(), 1u);
  report = MustImport(brain);
  EXPECT_EQ(report["imported"], 0) << report;
  EXPECT_FALSE(report.contains("imported_kept")) << report;
  EXPECT_EQ(ExportAgentOs()["chunks"], brain["chunks"]);
  // They are no memories: nothing finds them that does not ask for them.
  EXPECT_EQ(Get("/search?q=secretword&project=default").body, Json::array());
  EXPECT_EQ(Get("/context?query=secretword&project=default").body["recent_observations"].size(),
            1u);
  EXPECT_EQ(Found({{"query", "secretword"}}), Ids());
  EXPECT_GE(Get("/search?q=secretword&project=default&type=agentos").body.size(), 2u);
  for (const auto& format : Made({"json", "jsonl", "sqlite", "markdown", "obsidian", "notes"})) {
    const std::string file = ExportText(format);
    StartEmpty();
    EXPECT_EQ(PostText("/import", file).status, 200);
    const Json after = ExportAgentOs();
    for (const char* array : {"documents", "chunks", "images", "nodes", "edges"})
      EXPECT_EQ(after[array], brain[array]) << format << array;
    StartEmpty();
    MustImport(before);
  }
}

// A copy tells what was done to its traces; what an undo needs is not in it.
TEST_F(AgentOsJsonTest, SqliteExportContainsTheConsolidationLog) {
  if (ChosenStore::OnPostgres()) GTEST_SKIP() << "the shared engine makes no files";
  AddCompacted();
  const auto rows = [&](const std::string& more, const std::string& table) {
    const std::string path = scratch_.File("copy" + more.substr(more.find('=') + 1) + table);
    std::ofstream(path, std::ios::binary) << ExportText("sqlite", more);
    auto file = sqlite::Database::Open(path, {.access = sqlite::Access::kScratch});
    EXPECT_TRUE(file);
    auto count = file ? file->Prepare(("SELECT count(*) FROM " + table).c_str())
                      : base::Result<sqlite::Statement>(file.error());
    return count && count->Step() ? count->Int(0) : -1;
  };
  EXPECT_EQ(rows("", "consolidation_log"), 1);
  EXPECT_EQ(rows("", "consolidation_actions"), 0);
  EXPECT_EQ(rows("&project=DEFAULT", "consolidation_log"), 1);
  MustPost(NoteBody("of another project", "other"));
  EXPECT_EQ(rows("&project=other", "consolidation_log"), 0);
  const std::string file = ExportText("sqlite");
  StartEmpty();
  const Answered taken = PostText("/import", file);
  EXPECT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(taken.body["imported_traces"], 1) << taken.body;
}

}  // namespace
}  // namespace memory
