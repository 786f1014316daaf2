// Imports of other programs' exports, through the port: what each field becomes, and that a second
// one adds nothing.
#include "memory/api/api_fixture.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {
namespace {

class ForeignImportTest : public ApiTest {
 protected:
  // Imports twice, a day apart: the second adds nothing. → the first report.
  Json ImportTwice(const std::string& target, const std::string& body) {
    Answered first = PostText(target, body);
    EXPECT_EQ(first.status, 200) << first.body;
    const Json before = Get("/export").body["observations"];
    clock_.Advance(kDay);
    Answered again = PostText(target, body);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.body["imported_observations"], 0) << again.body;
    EXPECT_EQ(again.body["imported_sessions"], 0) << again.body;
    EXPECT_EQ(again.body["errors"], first.body["errors"]);
    EXPECT_EQ(Get("/export").body["observations"], before);
    return first.body;
  }
  Json Only() {
    Json rows = Get("/export").body["observations"];
    EXPECT_EQ(rows.size(), 1u) << rows;
    return rows.empty() ? Json() : rows[0];
  }
};

TEST_F(ForeignImportTest, Mem0MemoriesKeepTheirUser) {
  const Json memory = {{"id", "892db2ae-06d9-49e5-8b3e-585ef9b85b8e"},
                       {"memory", "Likes to hike\non weekends"},
                       {"hash", "c1"},
                       {"metadata", {{"mood", "good"}, {"score", 3}}},
                       {"categories", {"hobbies"}},
                       {"user_id", "alex"},
                       {"created_at", "2024-07-20T01:30:36.275141-07:00"},
                       {"updated_at", nullptr}};
  const Json bad = {{"id", "x"}, {"memory", 7}};
  const std::string body = base::DumpJson({{"results", {memory, bad}}});
  Json report = ImportTwice("/import?project=hikes", body);
  EXPECT_EQ(report["imported_observations"], 2);
  ASSERT_EQ(report["errors"].size(), 1u);
  EXPECT_EQ(report["errors"][0]["index"], 1);
  EXPECT_EQ(report["errors"][0]["kept"], true);
  Json row = Get("/export").body["observations"][0];
  EXPECT_EQ(row["content"], "Likes to hike\non weekends\n\nmood: good\nscore: 3");
  EXPECT_EQ(row["title"], "Likes to hike");
  EXPECT_EQ(row["tags"], (Json{"hobbies", "user:alex"}));
  EXPECT_EQ(row["project"], "hikes");
  EXPECT_EQ(row["type"], "discovery");
  EXPECT_EQ(row["created_at"], "2024-07-20T08:30:36.275Z");
  EXPECT_EQ(row["source"]["origin"], "import");
  for (const Json& same : {Json{memory}, Json{{"memories", {memory}}}}) {
    Answered again = PostText("/import?project=hikes", base::DumpJson(same));
    EXPECT_EQ(again.body["skipped"], 1) << again.body;
  }
}

TEST_F(ForeignImportTest, ListWithAKnownNameIsImported) {
  for (const char* name : {"memories", "observations"}) {
    const std::string text = std::string("a fact of ") + name;
    Answered answer = PostText(
        "/import",
        base::DumpJson(
            {{name, {{{"id", 1}, {"content", text}}, {{"id", 1}, {"text", "other " + text}}}}}));
    const size_t rows = answer.body["imported_observations"].get<size_t>();
    EXPECT_EQ(rows, 2U) << name << answer.body;
  }
  Answered answer =
      PostText("/import", R"({"settings": [{"a": 1}], "memories": [{"content": "one"}]})");
  EXPECT_EQ(answer.body["imported_observations"], 1) << answer.body;
  EXPECT_EQ(answer.body["errors"].size(), 1u) << answer.body;
}

TEST_F(ForeignImportTest, EngramSessionsObservationsAndPromptsAreImported) {
  const Json exported = {{"version", "0.1.0"},
                         {"exported_at", "2026-01-03 10:00:00"},
                         {"sessions",
                          {{{"id", "s1"},
                            {"project", "web"},
                            {"directory", "/src"},
                            {"started_at", "2026-01-02 10:00:00"},
                            {"ended_at", "2026-01-02 11:00:00"},
                            {"summary", "Done."}}}},
                         {"observations",
                          {{{"id", 7},
                            {"sync_id", "obs-1"},
                            {"session_id", "s1"},
                            {"type", "bugfix"},
                            {"title", "Null check"},
                            {"content", "Checked."},
                            {"tool_name", "edit"},
                            {"project", "web"},
                            {"scope", "personal"},
                            {"topic_key", "bug/null"},
                            {"revision_count", 2},
                            {"duplicate_count", 3},
                            {"created_at", "2026-01-02 10:30:00"},
                            {"updated_at", "2026-01-02 10:40:00"}},
                           {{"id", 8},
                            {"sync_id", "obs-2"},
                            {"session_id", "s1"},
                            {"type", "manual"},
                            {"title", "Gone"},
                            {"content", "Gone."},
                            {"project", "web"},
                            {"deleted_at", "2026-01-02 10:50:00"},
                            {"created_at", "2026-01-02 10:45:00"}}}},
                         {"prompts",
                          {{{"id", 7},
                            {"session_id", "s1"},
                            {"content", "Why is it null?"},
                            {"project", nullptr},
                            {"created_at", "2026-01-02 10:20:00"}}}}};
  for (const char* target : {"/import?project=web", "/import?project=web&format=engram"}) {
    Json report = ImportTwice(target, base::DumpJson(exported));
    EXPECT_EQ(report["errors"], Json::array()) << target;
  }
  EXPECT_EQ(Get("/sessions/recent").body[0]["started_at"], "2026-01-02T10:00:00Z");
  Json row = Get("/search?q=null&project=web&type=bugfix").body.at(0);
  row = Get("/observations/" + row["id"].dump()).body;
  EXPECT_EQ(row["created_at"], "2026-01-02T10:30:00Z");
  EXPECT_EQ(row["duplicate_count"], 2);
  EXPECT_EQ(row["revision_count"], 2);
  EXPECT_EQ(row["topic_key"], "bug/null");
  EXPECT_EQ(row["tags"], Json{"scope:personal"});
  EXPECT_EQ(row["source"], (Json{{"origin", "import"}, {"tool", "edit"}}));
  EXPECT_EQ(Get("/observations/recent?type=prompt").body[0]["content"], "Why is it null?");
  EXPECT_EQ(Get("/stats").body["total_observations"], 2);
}

Json Turn(const char* role, const Json& parts, const char* parent, double time) {
  return {{"parent", parent},
          {"children", Json::array()},
          {"message",
           {{"author", {{"role", role}}},
            {"create_time", time},
            {"content", {{"content_type", "text"}, {"parts", parts}}}}}};
}

TEST_F(ForeignImportTest, ChatGptConversationIsASessionOfPairs) {
  Json mapping = {
      {"root", {{"parent", nullptr}, {"children", {"a"}}, {"message", nullptr}}},
      {"a", Turn("user", {"How do I boil\nan egg?"}, "root", 1711234567.5)},
      {"b", Turn("assistant", {"Ten minutes."}, "a", 1711234568)},
      {"x", Turn("assistant", {"another branch"}, "a", 1711234568)},
      {"c", Turn("assistant", {Json{{"asset_pointer", "file"}}, "Or nine."}, "b", 1711234569)},
      {"t", Turn("tool", {"hidden"}, "c", 1711234570)},
      {"d", Turn("user", {"Thanks"}, "t", 1711234571)}};
  const Json conversation = {
      {"title", "Eggs"},    {"conversation_id", "c-1"},  {"create_time", 1711234567.0},
      {"mapping", mapping}, {"update_time", 1711234600}, {"current_node", "d"}};
  Json report = ImportTwice(
      "/import",
      base::DumpJson(Json{conversation, {{"title", "no mapping"}}, {{"mapping", Json::object()}}}));
  EXPECT_EQ(report["imported_observations"], 3);
  EXPECT_EQ(report["imported_sessions"], 2);
  ASSERT_EQ(report["errors"].size(), 3u)
      << "a picture, what a tool says, and what has no mapping" << report;
  EXPECT_EQ(report["errors"][0]["kept"], true);
  Json rows = Get("/export").body["observations"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2]["content"], "Assistant: another branch");
  EXPECT_EQ(rows[2]["tags"], (Json{"Eggs", "other branch"}));
  EXPECT_EQ(rows[0]["content"],
            "User: How do I boil\nan egg?\n\nAssistant: Ten minutes.\n\nAssistant: Or nine.");
  EXPECT_EQ(rows[0]["title"], "How do I boil");
  EXPECT_EQ(rows[0]["type"], "episodic");
  EXPECT_EQ(rows[0]["tags"], Json{"Eggs"});
  EXPECT_EQ(rows[0]["session_id"], "chatgpt-c-1");
  EXPECT_EQ(rows[0]["created_at"], "2024-03-23T22:56:07.500Z");
  EXPECT_EQ(rows[1]["content"], "User: Thanks");
  Json sessions = Get("/sessions/recent").body;
  EXPECT_EQ(
      sessions.back()["message_count"].get<int>() + sessions.front()["message_count"].get<int>(),
      4);
}

TEST_F(ForeignImportTest, CyclicBranchEnds) {
  Json mapping = {{"a", Turn("user", {"one"}, "b", 1)}, {"b", Turn("assistant", {"two"}, "a", 2)}};
  Json report = ImportTwice("/import?format=chatgpt",
                            base::DumpJson(Json{{{"mapping", mapping}, {"current_node", "a"}}}));
  EXPECT_EQ(report["imported_observations"], 2);
}

TEST_F(ForeignImportTest, TableNeedsContentAndKeepsOtherColumns) {
  const std::string table =
      "Content,type,tags,owner,created_at\r\n"
      "\"User prefers dark mode, always\",semantic,\"preference,ui\",Ann,2026-01-02\r\n"
      "Deploy with Docker Compose,,\"deployment;docker\",,\r\n"
      "too,few\r\n"
      "\"\",semantic,,,\r\n"
      "\"two\nlines \"\"quoted\"\"\",procedural,,,1711234567890\r\n";
  Json report = ImportTwice("/import?project=kb", table);
  EXPECT_EQ(report["imported_observations"], 4);
  ASSERT_EQ(report["errors"].size(), 2u);
  EXPECT_EQ(report["errors"][0]["line"], 4);
  EXPECT_EQ(report["errors"][0]["kept"], true) << "too few fields are no reason to lose them";
  EXPECT_EQ(report["errors"][1]["line"], 5);
  Json rows = Get("/export").body["observations"];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["content"], "User prefers dark mode, always");
  EXPECT_EQ(rows[0]["tags"], (Json{"preference", "ui"}));
  EXPECT_EQ(rows[0]["created_at"], "2026-01-02T00:00:00Z");
  EXPECT_EQ(rows[1]["type"], "episodic");
  EXPECT_EQ(rows[1]["tags"], (Json{"deployment", "docker"}));
  EXPECT_EQ(rows[1]["session_id"], "csv-import-kb");
  EXPECT_EQ(rows[3]["content"], "two\nlines \"quoted\"");
  EXPECT_EQ(rows[3]["created_at"], "2024-03-23T22:56:07.890Z");
  EXPECT_EQ(PostText("/import?format=csv", "a,b\n1,2\n").status, 400);
  EXPECT_EQ(PostText("/import?format=csv", "").status, 400);
}

// As AgentOS has it: episodic and the user's where the table does not say it, the rest is metadata.
TEST_F(ForeignImportTest, TableRowIsATraceWithOtherColumnsAsMetadata) {
  const std::string table =
      "content,type,scope,tags,owner,importance,id,source\n"
      "User prefers dark mode,semantic,organization,\"preference,ui\",Ann,0.8,7,chat\n"
      "Deploy with Docker,,,,,,,\n"
      "Told by a team,,team,,Bob,,,\n"
      "," +
      std::string(20'000, 'x') +
      ",,,,,,\n"
      "A long column,,,,\"" +
      std::string(20'000, 'y') + "\",,,\n";
  const Json report = ImportTwice("/import?project=kb&format=csv", table);
  EXPECT_EQ(report["imported"], 5) << report["errors"].dump().substr(0, 500);
  const Json traces = Get("/export?format=agentos-json&project=kb").body["traces"];
  ASSERT_EQ(traces.size(), 5u);
  EXPECT_EQ(traces[0]["content"], "User prefers dark mode");
  EXPECT_EQ(traces[0]["type"], "semantic");
  EXPECT_EQ(traces[0]["scope"], "organization");
  EXPECT_EQ(traces[0]["tags"], (Json{"preference", "ui"}));
  EXPECT_EQ(traces[0]["metadata"],
            (Json{{"owner", "Ann"}, {"importance", "0.8"}, {"id", "7"}, {"source", "chat"}}));
  EXPECT_EQ(traces[1]["type"], "episodic");
  EXPECT_EQ(traces[1]["scope"], "user");
  EXPECT_EQ(traces[1]["scopeId"], "default");
  EXPECT_EQ(traces[1]["metadata"], Json::object());
  EXPECT_EQ(traces[2]["tags"], Json{"scope:team"});
  EXPECT_NE(traces[4]["content"].get<std::string>().find("owner: yyy"), std::string::npos)
      << "more than a trace may have is text";
  // Found by words as a trace and as an observation, without a strength that has faded.
  EXPECT_EQ(Get("/search?q=docker&project=kb").body.size(), 1u);
  EXPECT_EQ(Post("/traces/search", {{"query", "docker"}, {"project", "kb"}}).body["results"].size(),
            1u);
  // Traces go out and in by the other formats, too.
  const Json exported = Get("/export?project=kb").body;
  EXPECT_EQ(exported["traces"].size(), 5u);
  EXPECT_EQ(Post("/import?project=kb", exported).body["imported"], 0);
}

TEST_F(ForeignImportTest, ColumnWithANulInItsNameBecomesText) {
  using namespace std::string_literals;
  const Answered answer = PostText("/import?format=csv", "content,a\0b\nsixpence,none\n"s);
  EXPECT_EQ(answer.body["imported_observations"], 1) << answer.body;
  const Answered exported = Get("/export");
  EXPECT_EQ(exported.status, 200);
  EXPECT_NE(exported.body.dump().find("none"), std::string::npos) << exported.body;
}

TEST_F(ForeignImportTest, RowWithoutTimeGetsTheImportTimeOnce) {
  Json row = NoteBody("no time");
  clock_.Advance(5000);
  Json report = ImportTwice("/import", base::DumpJson({{"observations", {row}}}));
  EXPECT_EQ(report["imported_observations"], 1);
  EXPECT_EQ(Only()["created_at"], base::FormatTime(kMidnight + 5000));
}

TEST(ForeignTime, TimesOfOtherProgramsAreParsed) {
  for (auto [given, wanted] : std::initializer_list<std::pair<Json, Json>>{
           {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"},
           {"2026-01-02 03:04:05", "2026-01-02T03:04:05Z"},
           {"2026-01-02T03:04:05.250", "2026-01-02T03:04:05.250Z"},
           {"2026-01-02", "2026-01-02T00:00:00Z"},
           {1767323045, "2026-01-02T03:04:05Z"},
           {1767323045250, "2026-01-02T03:04:05.250Z"},
           {"1767323045", "2026-01-02T03:04:05Z"},
           {"", nullptr},
           {"yesterday", "yesterday"},
           {-5, -5},
           {1e300, 1e300},
           {true, true}}) {
    EXPECT_EQ(ForeignTime(given), wanted) << given;
  }
}

}  // namespace
}  // namespace memory
