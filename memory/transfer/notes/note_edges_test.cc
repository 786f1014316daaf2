// Traces and their edges through the notes formats, and links of anybody's vault.
#include <random>

#include "lib/base/archive/tar.h"
#include "memory/api/traces/traces_fixture.h"
#include "memory/transfer/notes/note_files.h"

namespace memory {
namespace {

class NoteEdgesTest : public TracesRouteTest {
 protected:
  Json Rows() {
    Json exported = Get("/export").body;
    exported.erase("exported_at");
    return exported;
  }
  std::string Export(const std::string& format) {
    http::ClientRequest raw;
    raw.target = "/export?format=" + format;
    const auto exported = client_->Send(raw);
    EXPECT_TRUE(exported);
    return exported ? exported->body : "";
  }
  void PutEdge(const std::string& from, const std::string& to, const Json& body = nullptr) {
    const Answered put = Call("PUT", "/traces/" + from + "/edges/" + to, body);
    EXPECT_EQ(put.status, 200) << put.body;
  }
  // {"a -> b kind weight"} by titles.
  std::vector<std::string> Edges() {
    std::vector<std::string> edges;
    std::map<std::string, std::string> titles;
    const Json rows = Rows();
    for (const Json& row : rows["observations"]) {
      char id[64];
      std::snprintf(id, sizeof id, "mt_00000000-0000-8000-8000-%012llx",
                    static_cast<unsigned long long>(row["id"].get<int64_t>()));
      titles[id] = row["title"];
    }
    for (const Json& trace : rows.value("traces", Json::array())) titles[trace["id"]] = trace["id"];
    for (const Json& edge : rows.value("traces_edges", Json::array()))
      edges.push_back(titles[edge["from"]] + " -> " + titles[edge["to"]] + " " +
                      edge["edge"].get<std::string>() + " " + edge["weight"].dump());
    std::sort(edges.begin(), edges.end());
    return edges;
  }
};

std::string RandomWords(std::mt19937& random) {
  static const char* const kParts[] = {"---",         "\n",     "[[",    "]]", "`",
                                       "### Related", "#tag",   "ü€😀",   ": ", "mt_abc",
                                       "- [[a]]",     "|",      "/",     "..", "12-x",
                                       "\"",          "日本語", "null",  " ",  "%% agent-memory %%",
                                       "\\",          "\t",     "(0.5)", "—",  "\r",
                                       "1.0"};
  std::string text = "x";
  for (size_t parts = random() % 9; parts > 0; --parts)
    text += kParts[random() % std::size(kParts)];
  return text;
}

Json RandomJson(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 9 : 6)) {
    case 0:
      return RandomWords(random);
    case 1:
      return std::uniform_real_distribution<>(-1e20, 1e20)(random);
    case 2:
      return static_cast<int64_t>(random()) - 1'000'000;
    case 3:
      return nullptr;
    case 4:
      return random() % 2 == 0;
    case 5:
      return std::ldexp(1.0 + random() % 7, static_cast<int>(random() % 200) - 100);
    case 6: {
      Json list = Json::array();
      for (size_t more = random() % 4; more > 0; --more)
        list.push_back(RandomJson(random, depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (size_t more = random() % 4; more > 0; --more)
        object[RandomWords(random)] = RandomJson(random, depth - 1);
      return object;
    }
  }
}

TEST_F(NoteEdgesTest, TracesAndEdgesSurviveARoundTripOnce) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string kinds[] = {"episodic", "semantic", "procedural"};
  const std::string scopes[] = {"user", "thread", "persona", "organization"};
  std::vector<std::string> ids;
  for (int i = 0; i < 60; ++i) {
    Json more = {{"type", kinds[random() % 3]},
                 {"scope", scopes[random() % 4]},
                 {"tags", {RandomWords(random), "plain"}}};
    if (i % 3 == 0) more["emotions"] = {{"valence", 0.1 * (i % 10)}};
    if (i % 2 == 0) {
      more["metadata"] = {{"importance", 0.5}};
      for (size_t fields = random() % 4; fields > 0; --fields)
        more["metadata"][RandomWords(random)] = RandomJson(random, i % 10 == 0 ? 12 : 3);
    }
    if (i % 7 == 0) more["type"] = "prospective", more["remindAt"] = 1'900'000'000'123;
    ids.push_back(Add(RandomWords(random) + std::to_string(i), more));
    if (i % 5 == 0) {
      Json note = NoteBody(RandomWords(random) + std::to_string(i), "default");
      note["title"] = RandomWords(random);
      char id[64];
      std::snprintf(id, sizeof id, "mt_00000000-0000-8000-8000-%012llx",
                    static_cast<unsigned long long>(MustPost(note)));
      ids.push_back(id);
    }
    clock_.Advance(kDayMs / 7 + 1);
    if (i % 9 == 0) Found({{"query", "x" + std::to_string(i)}});
  }
  for (int i = 0; i < 150; ++i) {
    const std::string &from = ids[random() % ids.size()], &to = ids[random() % ids.size()];
    if (from == to) continue;
    PutEdge(from, to,
            {{"kind", RandomWords(random).substr(0, 1) +
                          (i % 2 ? RandomWords(random).substr(0, 1) : " (0.5)")},
             {"weight", std::uniform_real_distribution<>(0, 1)(random)}});
  }
  Start();  // what was retrieved is in the file
  const Json wanted = Rows();
  ASSERT_GT(wanted["traces_edges"].size(), 100u);
  for (const std::string format : {"notes", "markdown", "obsidian"}) {
    StartEmpty();
    ASSERT_EQ(Post("/import", wanted).body["errors"], Json::array());
    ASSERT_EQ(Rows(), wanted);
    const std::string file = Export(format);
    StartEmpty();
    const Answered taken = PostText("/import", file);
    ASSERT_EQ(taken.status, 200) << taken.body;
    EXPECT_EQ(taken.body["errors"], Json::array()) << format;
    EXPECT_EQ(taken.body["imported_traces"], 60) << format;
    EXPECT_EQ(taken.body["imported_edges"], wanted["traces_edges"].size()) << format;
    const Json got = Rows();
    for (const char* part : {"sessions", "observations", "traces", "traces_edges"}) {
      ASSERT_EQ(got[part].size(), wanted[part].size()) << format << " " << part;
      for (size_t i = 0; i < got[part].size(); ++i)
        EXPECT_EQ(got[part][i], wanted[part][i]) << format << " " << part;
    }
    const Answered again = PostText("/import", file);
    for (const char* count :
         {"imported_sessions", "imported_observations", "imported_traces", "imported_edges"})
      EXPECT_EQ(again.body[count], 0) << format;
    EXPECT_EQ(again.body["skipped"], wanted["sessions"].size() + wanted["observations"].size() +
                                         wanted["traces"].size() + wanted["traces_edges"].size());
    if (format != "notes") EXPECT_EQ(Export(format), file);
  }
}

TEST_F(NoteEdgesTest, TraceNoteHasItsFieldsAndLinksByFileName) {
  const std::string tea = Add("User drinks tea.", {{"type", "semantic"}, {"tags", {"drink"}}});
  const std::string call =
      Add("Call Ann", {{"type", "prospective"}, {"remindAt", 1'900'000'000'000}});
  PutEdge(tea, call, {{"kind", "about"}, {"weight", 0.25}});
  PutEdge(call, tea);
  const std::string vault = Export("obsidian");
  for (const std::string& words :
       {"semantic/" + tea + ".md", "prospective/" + call + ".md", "id: " + tea,
        std::string("scope: user\n"), std::string("scopeId: default\n"),
        std::string("strength: 1.0\n"), std::string("createdAt: 20"),
        std::string("lastAccessed: 20"), std::string("retrievalCount: 0\n"),
        std::string("remindAt: 2030-03-17T17:46:40Z\n"), std::string("#drink"),
        "### Related\n- [[" + call + "]] — about (0.25)\n",
        "### Related\n- [[" + tea + "]] — related\n"})
    EXPECT_NE(vault.find(words), std::string::npos) << words << "\n" << vault;
  for (const char* format : {"markdown", "notes"})
    EXPECT_NE(Export(format).find("- [[" + call + "]] — about (0.25)\n"), std::string::npos);
  EXPECT_TRUE(base::StartsAsTar(Export("markdown")));
  EXPECT_EQ(Export("markdown").find("#drink"), std::string::npos) << "Obsidian's alone";
  // What is not in an export is no link of it.
  Call("DELETE", "/traces/" + call);
  EXPECT_EQ(Export("obsidian").find("[[mt_"), std::string::npos);
}

// Files of earlier versions are called by numbers and titles, and links name them so.
TEST_F(NoteEdgesTest, ExportOfAnEarlierVersionIsImported) {
  const auto note = [](const std::string& id, int number, const std::string& text,
                       const std::string& footer) {
    return "---\nkind: trace\nid: " + id + "\nobservation: " + std::to_string(number) +
           "\nproject: p\nsession_id: s\ntitle: t\ntype: semantic\nscope: user\nscopeId: "
           "default\nstrength: 1.0\nlastAccessed: 2026-01-02T00:00:00Z\nretrievalCount: 0\n"
           "createdAt: 2026-01-02T00:00:00Z\n---\n\n" +
           text + "\n\n%% agent-memory %%\n" + footer + "\n\n";
  };
  const std::string first =
      note("mt_a", 41, "first", "### Related\n- [[semantic/42-second]] — about (0.5)\n");
  const std::string second =
      note("mt_b", 42, "second", "### Related\n- [[other/41-first]] — back\n");
  const std::string file = "---\nkind: export\nformat: agent-memory/1\n---\n\n\n" + first + second +
                           "---\nkind: end\nsessions: 0\nobservations: 2\n---\n";
  const std::string vault = base::TarFile("semantic/41-first.md", first, 0) +
                            base::TarFile("semantic/42-second.md", second, 0) + base::TarEnd();
  for (const std::string& body : {file, vault}) {
    StartEmpty();
    const Answered taken = PostText("/import", body);
    ASSERT_EQ(taken.status, 200) << taken.body;
    EXPECT_EQ(taken.body["imported_traces"], 2) << taken.body;
    EXPECT_EQ(taken.body["imported_edges"], 2) << taken.body;
    EXPECT_EQ(Edges(),
              (std::vector<std::string>{"mt_a -> mt_b about 0.5", "mt_b -> mt_a back 1.0"}));
  }
}

TEST_F(NoteEdgesTest, LinksOfAForeignVaultBecomeEdges) {
  const std::string vault =
      base::TarFile("v/Start.md",
                    "Forward [[plan|the plan]], [[Ideas/Deep#top]], ![[picture.png]], "
                    "[[nowhere]], `[[Plan2]]`, [[START]]\n",
                    0) +
      base::TarFile("v/a/Plan.md",
                    "---\nup: \"[[Start]]\"\n---\nThe plan, not [[Same]]: [[b/Same]]\n", 0) +
      base::TarFile("v/Ideas/Deep.md", "deep", 0) +
      base::TarFile("v/Plan2.md", "in code alone", 0) +
      base::TarFile("v/semantic/x/b/Same.md", "in b", 0) +
      base::TarFile("v/Same.md", "the shallow one", 0) + base::TarEnd();
  Answered taken = PostText("/import?project=v", vault);
  ASSERT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(taken.body["imported_observations"], 6) << taken.body;
  EXPECT_EQ(taken.body["errors"], Json::array());
  const std::vector<std::string> wanted = {"Plan -> Same related 1.0", "Plan -> Same related 1.0",
                                           "Plan -> Start related 1.0", "Start -> Deep related 1.0",
                                           "Start -> Plan related 1.0"};
  EXPECT_EQ(Edges(), wanted);
  EXPECT_EQ(taken.body["imported_edges"], wanted.size());
  const Json rows = Rows()["observations"];
  EXPECT_NE(rows[0]["content"].get<std::string>().find("[[plan|the plan]]"), std::string::npos);
  EXPECT_EQ(rows[4]["type"], "semantic") << "the innermost folder that is a kind of memory";
  taken = PostText("/import?project=v", vault);
  EXPECT_EQ(taken.body["imported_observations"], 0);
  EXPECT_EQ(taken.body["imported_edges"], 0);
  EXPECT_EQ(taken.body["skipped"], 6 + wanted.size());
  // An export of it keeps the edges, and the links of its texts make none beside them.
  const Json before = Rows();
  const std::string ours = Export("obsidian");
  StartEmpty();
  EXPECT_EQ(PostText("/import", ours).body["imported_edges"], wanted.size());
  EXPECT_EQ(Rows(), before);
}

TEST_F(NoteEdgesTest, VaultOfAgentOsIsImported) {
  const std::string vault =
      base::TarFile(
          "semantic/mt_abc123.md",
          "---\nid: mt_abc123\ntype: semantic\nscope: user\nstrength: 0.87\ntags:\n"
          "  - preference\n  - language\ncreatedAt: 2024-03-24T12:34:56Z\nmetadata:\n"
          "  source: user_statement\n---\n\nUser prefers TypeScript over Python\n\n"
          "#preference #language\n\n### Related\n\n- [[mt_def456]] — deployment preferences\n"
          "- [[mt_gone]] — tooling choices\n",
          0) +
      base::TarFile("episodic/mt_def456.md",
                    "---\nid: mt_def456\nscope: organization\n---\nDeploys on Tuesdays\n", 0) +
      base::TarFile("episodic/mt_bad.md",
                    "---\nid: mt_bad\nstrength: 7\n---\nKept as an observation\n", 0) +
      base::TarEnd();
  const Answered taken = PostText("/import?project=default", vault);
  EXPECT_EQ(taken.body["imported_observations"], 3) << taken.body;
  EXPECT_EQ(taken.body["imported_traces"], 2) << taken.body;
  EXPECT_EQ(taken.body["imported_edges"], 1) << taken.body;
  ASSERT_EQ(taken.body["errors"].size(), 1u) << taken.body;
  EXPECT_EQ(taken.body["errors"][0]["file"], "episodic/mt_bad.md");
  const Json trace = Trace("mt_abc123");
  EXPECT_EQ(trace["content"], "User prefers TypeScript over Python");
  EXPECT_EQ(trace["type"], "semantic");
  EXPECT_EQ(trace["tags"], (Json{"preference", "language"}));
  EXPECT_EQ(trace["metadata"], (Json{{"source", "user_statement"}}));
  EXPECT_EQ(trace["createdAt"], 1'711'283'696'000);
  EXPECT_EQ(trace["edges"],
            (Json{{{"to", "mt_def456"}, {"kind", "deployment preferences"}, {"weight", 1.0}}}));
  EXPECT_EQ(Trace("mt_def456")["type"], "episodic") << "by its folder";
  EXPECT_EQ(PostText("/import?project=default", vault).body["imported_traces"], 0);
}

TEST_F(NoteEdgesTest, TraceWithoutOwnerBelongsToTheCaller) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/import?format=obsidian";
  request.timeout_ms = 60'000;
  request.headers.Set("X-Memory-User", "ann");
  request.headers.Set("Content-Type", "application/x-tar");
  request.body =
      base::TarFile("semantic/mt_a.md", "---\nid: mt_a\n---\nDrinks tea", 0) +
      base::TarFile("mt_b.md", "---\nid: mt_b\nscope: session\nmetadata: {scopeId: c9}\n---\nb",
                    0) +
      base::TarFile("mt_c.md", "---\nid: mt_c\nscope: global\n---\nc", 0) + base::TarEnd();
  const auto response = client_->Send(request);
  ASSERT_TRUE(response);
  const auto report = base::ParseJson(response->body);
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)["imported_traces"], 3) << *report;
  EXPECT_EQ(Found({{"query", "tea"}}, "ann"), Ids{"mt_a"});
  EXPECT_EQ(Call("GET", "/traces/mt_a").status, 404);
  EXPECT_EQ(Call("GET", "/traces/mt_b?conversation=c9").body["scope"], "thread");
  EXPECT_EQ(Trace("mt_c")["scope"], "organization");
}

TEST_F(NoteEdgesTest, HostileLinksAreLimitedAndReported) {
  std::string many, deep;
  for (int i = 0; i < 100'000; ++i) many += "[[n" + std::to_string(i) + "]]";
  for (int i = 0; i < 2000; ++i) deep += "a/";
  std::string vault =
      base::TarFile("many.md", many.substr(0, 49'000), 0) +
      base::TarFile("brackets.md", std::string(49'000, '['), 0) +
      base::TarFile("ticks.md", "x" + std::string(20'000, '`') + "[[many]]", 0) +
      base::TarFile("all.md", "[[many]] [[brackets]] [[ticks]] [[all]] [[../../all]]", 0);
  for (int i = 0; i < 300; ++i)
    vault += base::TarFile("f/n" + std::to_string(i) + ".md", "note " + std::to_string(i), 0);
  vault += base::TarFile(deep + "end.md", "[[" + deep + "end]] [[a/end]]", 0) + base::TarEnd();
  const Answered taken = PostText("/import", vault);
  ASSERT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(taken.body["imported_observations"], 305) << taken.body;
  EXPECT_EQ(taken.body["imported_edges"], 256 + 1 + 3) << taken.body;
  ASSERT_EQ(taken.body["errors"].size(), 1u) << taken.body;
  EXPECT_EQ(taken.body["errors"][0]["kind"], "edge");
  EXPECT_EQ(taken.body["errors"][0]["file"], "many.md");
  EXPECT_NE(taken.body["errors"][0]["error"].get<std::string>().find("256"), std::string::npos);
}

TEST_F(NoteEdgesTest, ChainOfForwardLinksBecomesEdges) {
  constexpr int kNotes = 3000;
  std::string vault;
  for (int i = 0; i < kNotes; ++i)
    vault +=
        base::TarFile("n" + std::to_string(i) + ".md", "to [[N" + std::to_string(i + 1) + "]]", 0);
  const Answered taken = PostText("/import", vault + base::TarEnd());
  EXPECT_EQ(taken.body["imported_observations"], kNotes) << taken.body;
  EXPECT_EQ(taken.body["imported_edges"], kNotes - 1);
}

}  // namespace
}  // namespace memory
