// Exports of Claude, Gemini, the MCP memory server and claude-mem through the port: every text of
// them is a row, what is left out is told, and a second import adds nothing.
#include <fstream>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/api/api_fixture.h"
#include "memory/transfer/formats/body_formats.h"
#include "memory/transfer/formats/conversation_rows.h"

namespace memory {
namespace {

class OtherProgramsTest : public ApiTest {
 protected:
  Json Rows() { return Get("/export").body["observations"]; }

  // Imports twice, by detection and then by name. → the first report.
  Json TakeTwice(const std::string& format, const std::string& body) {
    const Answered first = PostText("/import?project=p", body);
    EXPECT_EQ(first.status, 200) << first.body;
    const Json rows = Rows();
    for (const std::string& target :
         {std::string("/import?project=p"), "/import?project=p&format=" + format}) {
      clock_.Advance(kDay);
      const Answered again = PostText(target, body);
      EXPECT_EQ(again.status, 200) << again.body;
      EXPECT_EQ(again.body["imported_observations"], 0) << target << again.body;
      EXPECT_EQ(again.body["errors"], first.body["errors"]) << target;
    }
    EXPECT_EQ(Rows(), rows);
    for (const Json& row : rows) {
      EXPECT_EQ(row["source"]["origin"], "import");
      EXPECT_EQ(row["project"], "p");
    }
    return first.body;
  }

  void ExpectTexts(const std::vector<std::string>& texts) {
    const std::string all = base::DumpJson(Rows());
    for (const std::string& text : texts)
      EXPECT_NE(all.find(text), all.npos) << text << " in " << all;
  }
};

TEST_F(OtherProgramsTest, McpMemoryEntityYieldsARowPerObservation) {
  const std::string body =
      R"({"type":"entity","name":"John_Smith","entityType":"person","observations":["Speaks fluent Spanish","Graduated in 2019"]})"
      "\n"
      R"({"type":"entity","name":"Anthropic","entityType":"organization","observations":[]})"
      "\n\n{broken\n"
      R"({"type":"relation","from":"John_Smith","to":"Anthropic","relationType":"works_at"})"
      "\n"
      R"({"type":"entity","name":"Odd","entityType":7,"observations":[{"content":"With a time","timestamp":"t"},8,null],"note":"kept"})";
  const Json report = TakeTwice("mcp-memory", body);
  EXPECT_EQ(report["imported"], 8) << report;
  ASSERT_EQ(report["errors"].size(), 1u) << report;
  EXPECT_EQ(report["errors"][0]["line"], 4);
  ExpectTexts({"Speaks fluent Spanish", "Graduated in 2019", "Anthropic (organization)",
               "John_Smith works_at Anthropic", "With a time", "timestamp: t", "note: kept"});
  const Json rows = Rows();
  EXPECT_EQ(rows[0]["title"], "John_Smith");
  EXPECT_EQ(rows[0]["tags"], (Json{"John_Smith", "person"}));
  const Json graph = {
      {"entities", {{{"name", "Ann"}, {"entityType", "person"}, {"observations", {"Likes tea"}}}}},
      {"relations", {{{"from", "Ann"}, {"to", "Tea"}, {"relationType", "drinks"}}}}};
  EXPECT_EQ(PostText("/import?project=p", base::DumpJson(graph)).body["imported"], 2);
  ExpectTexts({"Likes tea", "Ann drinks Tea"});
}

TEST_F(OtherProgramsTest, ClaudeConversationIsASessionOfPairs) {
  const Json conversation = {
      {"uuid", "c1"},
      {"name", "Eggs"},
      {"created_at", "2025-01-02T10:00:00.123456Z"},
      {"updated_at", "2025-01-02T11:00:00Z"},
      {"chat_messages",
       {{{"sender", "human"},
         {"text", "How long?"},
         {"created_at", "2025-01-02T10:00:01Z"},
         {"content", {{{"type", "text"}, {"text", "How long?"}}}},
         {"attachments", {{{"file_name", "egg.txt"}, {"extracted_content", "An egg weighs 50 g"}}}},
         {"files", {{{"file_name", "egg.png"}}}}},
        {{"sender", "assistant"},
         {"text", "x"},
         {"content",
          {{{"type", "thinking"}, {"thinking", "hm"}},
           {{"type", "text"}, {"text", "Ten minutes."}},
           {{"type", "tool_use"}, {"input", {{"a", 1}}}},
           {{"type", "voice_note"}, {"text", "Spoken words"}}}}},
        {{"sender", "human"}, {"text", "Only text"}},
        {{"sender", "assistant"}, {"content", "A plain string"}}}}};
  const Json report = TakeTwice("claude", base::DumpJson(Json::array({conversation})));
  EXPECT_EQ(report["imported"], 2) << report;
  EXPECT_EQ(report["imported_sessions"], 1);
  EXPECT_EQ(report["errors"].size(), 3u) << report;  // file, thinking, tool_use
  ExpectTexts({"How long?", "An egg weighs 50 g", "Ten minutes.", "Spoken words", "Only text",
               "A plain string"});
  const Json rows = Rows();
  EXPECT_EQ(rows[0]["session_id"], "claude-c1");
  EXPECT_EQ(rows[0]["created_at"], "2025-01-02T10:00:01Z");
  EXPECT_EQ(rows[0]["tags"], Json{"Eggs"});
}

TEST_F(OtherProgramsTest, ClaudeProjectsAndMemoriesBecomeRows) {
  const Json project = {
      {"uuid", "p1"},
      {"name", "Kitchen"},
      {"description", "All of cooking"},
      {"prompt_template", "Answer as a cook"},
      {"created_at", "2025-01-02T10:00:00Z"},
      {"docs", {{{"uuid", "d1"}, {"filename", "stock.md"}, {"content", "Boil bones"}}}}};
  EXPECT_EQ(TakeTwice("claude", base::DumpJson(Json::array({project})))["imported"], 3);
  EXPECT_EQ(TakeTwice("claude", base::DumpJson(project))["imported"], 0);  // alone, it is the same
  const Json memories = {{"conversations_memory", "**Work**\nLikes copper pans"},
                         {"project_memories", {{"p1", "The kitchen is blue"}}},
                         {"account_uuid", "u"}};
  EXPECT_EQ(TakeTwice("claude", base::DumpJson(Json::array({memories})))["imported"], 2);
  ExpectTexts(
      {"All of cooking", "Answer as a cook", "Boil bones", "copper pans", "kitchen is blue"});
}

TEST_F(OtherProgramsTest, GeminiExportsBecomeRows) {
  const struct {
    const char* body;
    size_t rows, left_out;
    std::vector<std::string> texts;
  } table[] = {
      {R"([{"header":"Gemini Apps","title":"Prompted How tall is it?","time":"2025-03-01T10:00:00.5Z","products":["Gemini Apps"],
            "safeHtmlItem":[{"html":"<p>It is <b>300&nbsp;m</b> tall &amp; old.</p><ul><li>one</li></ul>"}],"imageFile":"a.png"}])",
       1,
       1,
       {"How tall is it?", "It is 300 m tall & old.\\none"}},
      {R"([{"sessionId":"s1","startTime":"2025-03-01T10:00:00Z","messages":[
            {"type":"user","content":"Cli question","timestamp":"2025-03-01T10:00:00Z"},
            {"type":"gemini","content":"Cli answer","toolCalls":[]}]}])",
       1,
       0,
       {"Cli question", "Cli answer"}},
      {R"({"sessionId":"s2","messages":[{"type":"user","content":[{"text":"Part one"},{"text":"Part two"}]},{"type":"gemini","content":"Said"}]})",
       1,
       0,
       {"Part one\\nPart two", "Said"}},
      {R"({"runSettings":{"model":"g"},"chunkedPrompt":{"chunks":[{"text":"Studio question","role":"user"},
            {"text":"secret thought","role":"model","isThought":true},{"text":"Studio answer","role":"model"}]}})",
       1,
       1,
       {"Studio question", "Studio answer"}},
      {R"({"contents":[{"role":"user","parts":[{"text":"Api question"},{"inlineData":{"data":"x"}}]},{"role":"model","parts":[{"text":"Api answer"}]}]})",
       1,
       1,
       {"Api question", "Api answer"}}};
  for (const auto& one : table) {
    const Json report = TakeTwice("gemini", one.body);
    EXPECT_EQ(report["imported"], one.rows) << one.body << report;
    EXPECT_EQ(report["errors"].size(), one.left_out) << one.body << report;
    ExpectTexts(one.texts);
  }
}

TEST_F(OtherProgramsTest, LongAnswerIsSplit) {
  std::string answer;
  for (int i = 0; i < 12'000; ++i) answer += "line " + std::to_string(i) + " of it\n";
  const Json conversation = {
      {"uuid", "c1"},
      {"name", "Long"},
      {"chat_messages",
       {{{"sender", "human"}, {"text", "Go"}}, {{"sender", "assistant"}, {"text", answer}}}}};
  const Json report = TakeTwice("claude", base::DumpJson(Json::array({conversation})));
  EXPECT_EQ(report["imported"], 4) << report;
  ExpectTexts({"line 0 of it", "line 6000 of it", "line 11999 of it", "(4 of 4)"});
}

TEST_F(OtherProgramsTest, UnrelatedJsonIsNotDetectedAsAnExport) {
  for (
      const char* body :
      {R"({"messages":[{"id":"m","conversationId":"c","role":"user","content":"x"}],"traces":[]})",
       R"([{"header":"YouTube","title":"Watched it","time":"2025-01-01T00:00:00Z","products":["YouTube"]}])",
       R"({"format":"agent-memory/1","observations":[]})"}) {
    const Answered answer = PostText("/import?project=p", body);
    EXPECT_EQ(base::DumpJson(answer.body).find("gemini"), std::string::npos) << answer.body;
  }
  EXPECT_EQ(PostText("/import?format=claude", R"([{"uuid":"u","full_name":"Ann"}])")
                .body["errors"]
                .size(),
            1u);
  EXPECT_EQ(PostText("/import?format=claude-mem", "{}").status, 400);
}

constexpr const char* kClaudeMem = R"sql(
CREATE TABLE sdk_sessions(id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT UNIQUE NOT NULL, memory_session_id TEXT UNIQUE,
  project TEXT NOT NULL, user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT,
  completed_at_epoch INTEGER, status TEXT CHECK(status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active');
CREATE TABLE observations(id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
  type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
  prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
  FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE);
CREATE TABLE session_summaries(id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
  investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT, prompt_number INTEGER,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts(id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL,
  prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE VIRTUAL TABLE observations_fts USING fts5(title, narrative, content='observations', content_rowid='id');
INSERT INTO sdk_sessions VALUES(1, 'content-1', 'memory-1', 'p', 'Fix it', '2025-10-01T10:00:00Z', 1759312800000, NULL, NULL, 'completed');
INSERT INTO observations VALUES(7, 'memory-1', 'p', NULL, 'bugfix', 'Null check', 'In the parser', '["Checks for null","Has a test"]',
  'The parser checks for null now.', '["problem-solution"]', '["a.cc"]', '[]', 1, 100, '2025-10-01T10:01:00Z', 1759312860000);
INSERT INTO session_summaries VALUES(7, 'memory-1', 'p', 'Fix it', 'The parser', 'Null is possible', 'The check', 'More tests', '[]', '["a.cc"]',
  'Be quick', 1, '2025-10-01T10:02:00Z', 1759312920000);
INSERT INTO user_prompts VALUES(7, 'content-1', 1, 'Fix it please', '2025-10-01T10:00:00Z', 1759312800000),
  (8, 'content-1', 2, '  ', '2025-10-01T10:00:00Z', 1759312800000);
CREATE TRIGGER observations_ai AFTER INSERT ON observations BEGIN
  INSERT INTO observations_fts(rowid, title, narrative) VALUES(new.id, new.title, new.narrative); END;
)sql";

std::string DatabaseOf(const std::string& script) {
  const testing::TemporaryDirectory folder;
  std::ofstream(folder.File("db")).close();
  {
    auto database = sqlite::Database::Open(folder.File("db"), {.access = sqlite::Access::kScratch});
    EXPECT_TRUE(database);
    const base::Status done = database ? database->Execute(script.c_str()) : base::Status();
    EXPECT_TRUE(done) << done.error().message;
  }
  std::ifstream in(folder.File("db"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(OtherProgramsTest, ClaudeMemTablesBecomeRows) {
  const Json report = TakeTwice("claude-mem", DatabaseOf(kClaudeMem));
  EXPECT_EQ(report["imported"], 3) << report;
  EXPECT_EQ(report["imported_sessions"], 1);
  EXPECT_EQ(report["errors"].size(), 1u) << report;  // the blank prompt
  ExpectTexts({"Null check", "In the parser", "Checks for null", "Has a test",
               "checks for null now", "problem-solution", "a.cc", "Learned: Null is possible",
               "Next steps: More tests", "Notes: Be quick", "Fix it please"});
  for (const Json& row : Rows()) EXPECT_EQ(row["session_id"], "claude-mem-content-1") << row;
  const Json rows = Rows();
  EXPECT_EQ(rows[0]["type"], "bugfix");
  EXPECT_EQ(rows[0]["created_at"], "2025-10-01T10:01:00Z");
}

TEST_F(OtherProgramsTest, OlderClaudeMemFileIsImported) {
  const Json report = TakeTwice(
      "claude-mem",
      DatabaseOf(
          "CREATE TABLE sdk_sessions(id INTEGER PRIMARY KEY, claude_session_id TEXT, "
          "sdk_session_id TEXT, project TEXT, started_at TEXT);"
          "CREATE TABLE session_summaries(id INTEGER PRIMARY KEY, sdk_session_id TEXT, project "
          "TEXT, request TEXT, learned TEXT);"
          "CREATE TABLE observations(id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT, "
          "text TEXT, type TEXT, extra TEXT);"
          "INSERT INTO sdk_sessions VALUES(1, 'c', 's', 'p', '2025-10-01T10:00:00Z');"
          "INSERT INTO session_summaries VALUES(1, 's', 'p', 'Ask', 'Old knowledge');"
          "INSERT INTO observations VALUES(1, 's', 'p', 'An old text', 'decision', 'And more')"));
  EXPECT_EQ(report["imported"], 2) << report;
  ExpectTexts({"Old knowledge", "An old text", "extra: And more"});
}

TEST_F(OtherProgramsTest, ClaudeMemFileWithComputedRowsIsRefused) {
  const std::string sessions =
      "CREATE TABLE sdk_sessions(id INTEGER PRIMARY KEY, project TEXT);"
      "CREATE TABLE session_summaries(id INTEGER PRIMARY KEY);";
  const std::pair<std::string, const char*> table[] = {
      {sessions + "CREATE VIEW observations AS SELECT 1 AS id", "view"},
      {sessions + "CREATE VIRTUAL TABLE observations USING fts5(text)", "virtual"},
      {sessions + "CREATE TABLE observations(id INTEGER PRIMARY KEY, text TEXT AS (hex(id)))",
       "computes"},
      {sessions + "CREATE TABLE observations(id TEXT PRIMARY KEY) WITHOUT ROWID", "rowid"}};
  for (const auto& [script, word] : table) {
    const Answered answer = PostText("/import?project=p", DatabaseOf(script));
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_NE(base::DumpJson(answer.body).find(word), std::string::npos) << answer.body;
  }
  const std::string whole = DatabaseOf(kClaudeMem);
  for (size_t at = 100; at < whole.size(); at += 1500) {
    std::string damaged = whole;
    damaged.replace(at, 40, 40, '\xff');
    const Answered answer = PostText("/import?project=p", damaged);
    EXPECT_TRUE(answer.status == 200 || answer.status == 400) << at << answer.body;
  }
}

// A session that was refused took its times and its summary with it, while its rows came.
TEST_F(OtherProgramsTest, InvalidSessionFieldIsDroppedAndReported) {
  const std::string long_text(60'000, 'x');
  const auto claude = [](const std::string& id, const Json& fields) {
    Json conversation = {{"uuid", id},
                         {"chat_messages", {{{"sender", "human"}, {"text", "Hello " + id}}}}};
    conversation.update(fields);
    return Json::array({conversation});
  };
  const auto engram = [](const std::string& id, const Json& fields) {
    Json session = {{"id", id}, {"directory", "/d"}, {"project", "p"}};
    session.update(fields);
    return Json{{"version", "0.1.0"}, {"sessions", {session}}};
  };
  const auto gemini = [](const std::string& id, const Json& fields) {
    Json conversation = {{"sessionId", id},
                         {"messages", {{{"type", "user"}, {"content", "Hello " + id}}}}};
    conversation.update(fields);
    return conversation;
  };
  const struct {
    Json body;
    std::string id, told;
  } table[] = {
      {claude("a", {{"summary", long_text}}), "claude-a",
       "has more than 50000 characters: it is cut"},
      {claude("b", {{"created_at", "last spring"}}), "claude-b",
       "started_at last spring is no time that can be read: it is left out"},
      {gemini("c", {{"lastUpdated", "soon"}}), "gemini-c", "ended_at soon is no time"},
      {engram("d", {{"project", std::string(300, 'p')}}), "d",
       "has more than 200 characters: it is left out"},
      {engram("e", {{"summary", {{"text", "deep"}}}}), "e", "is no text: it is left out"},
      {engram("f", {{"message_count", "many"}}), "f", "message_count many is no number"},
      {engram("g", {{"message_count", -1}}), "g", "message_count -1 is no number"},
      {engram("h", {{"predecessor", std::string(300, 'p')}}), "h", "has more than 200 characters"},
      {engram("i", {{"project", 7}}), "i", ""},
      {engram("j", {{"started_at", 1735812000}, {"summary", nullptr}}), "j", ""},
  };
  for (const auto& one : table) {
    const Json report = PostText("/import?project=p", base::DumpJson(one.body)).body;
    EXPECT_EQ(report["imported_sessions"], 1) << one.id << report;
    bool told = one.told.empty() && report["errors"].empty();
    for (const Json& error : report["errors"])
      told = told || (error["kind"] == "session" && error["kept"] == true &&
                      error["error"].get<std::string>().find(one.told) != std::string::npos);
    EXPECT_TRUE(told) << one.id << report;
  }
}

TEST(HtmlText, TextOfHtmlHasNoTags) {
  const std::pair<const char*, const char*> table[] = {
      {"plain", "plain"},
      {"<p>a</p><p>b</p>", "a\nb"},
      {"a<br>b<br/>c", "a\nb\nc"},
      {"<b>a</b>&amp;&lt;b&gt; &#65;&#x42; &quot;", "a&<b> AB \""},
      {"1 < 2 and a<b", "1 < 2 and a<b"},
      {"&unknown; &; &#xZ; &", "&unknown; &; &#xZ; &"},
      {"&#0;&#xD800;", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"", ""}};
  for (const auto& [html, text] : table) EXPECT_EQ(TextOfHtml(html), text) << html;
}

TEST(OtherFormat, ForeignFormatIsDetectedByItsFirstBytes) {
  const std::pair<std::string, const char*> table[] = {
      {R"({"type":"entity","name":"a","entityType":"b","observations":[]})", "mcp-memory"},
      {R"({"type": "relation", "from": "a", "to": "b", "relationType": "c"})"
       "\n",
       "mcp-memory"},
      {R"({"type":"entity","name":"a","entityType":"b","observations":[")" +
           std::string(5'000, 'x'),
       "mcp-memory"},
      {R"({"type":"other","name":"a"})", "auto"},
      {R"([{"uuid":"a","chat_messages":[]}])", "auto"}};
  for (const auto& [text, format] : table)
    EXPECT_EQ(*FormatByBeginning(text), format) << text.substr(0, 60);
}

}  // namespace
}  // namespace memory
