// A brain of AgentOS as a SQLite file: merged, or refused.
#include <fstream>
#include <random>

#include "lib/sqlite/database.h"
#include "memory/transfer/agentos_fixture.h"

namespace memory {
namespace {

// As AgentOS makes it, without the tables that nothing is read of.
constexpr const char* kBrain = R"sql(
CREATE TABLE brain_meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE memory_traces(
  id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL, content TEXT NOT NULL,
  embedding BLOB, strength REAL NOT NULL DEFAULT 1.0, created_at INTEGER NOT NULL,
  last_accessed INTEGER, retrieval_count INTEGER NOT NULL DEFAULT 0,
  tags TEXT NOT NULL DEFAULT '[]', emotions TEXT NOT NULL DEFAULT '{}',
  metadata TEXT NOT NULL DEFAULT '{}', deleted INTEGER NOT NULL DEFAULT 0);
CREATE INDEX idx_traces_type ON memory_traces(type, scope);
CREATE VIRTUAL TABLE memory_traces_fts USING fts5(content, tags, content='memory_traces');
CREATE TABLE knowledge_nodes(id TEXT PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE knowledge_edges(
  id TEXT PRIMARY KEY, source_id TEXT NOT NULL, target_id TEXT NOT NULL, type TEXT NOT NULL,
  weight REAL NOT NULL DEFAULT 1.0, bidirectional INTEGER NOT NULL DEFAULT 0);
CREATE TABLE conversations(
  id TEXT PRIMARY KEY, title TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}');
CREATE TABLE messages(
  id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations(id),
  role TEXT NOT NULL, content TEXT NOT NULL, created_at INTEGER NOT NULL);
INSERT INTO memory_traces(id, type, scope, content, strength, created_at, last_accessed,
  retrieval_count, tags, emotions, metadata, embedding) VALUES
  ('mt_a', 'semantic', 'user', 'User drinks tea.', 0.5, 1711234567890, 1711234600000, 3,
   '["drink","hot"]', '{"valence":0.25}', '{"import_hash":"abc","n":1}', zeroblob(1536)),
  ('mt_b', 'episodic', 'session', 'User said hello.', 1, 1711234567891, NULL, 0, '[]', '{}',
   '{"scopeId":"c1"}', NULL);
INSERT INTO memory_traces(id, type, scope, content, created_at, deleted) VALUES
  ('mt_gone', 'semantic', 'user', 'forgotten', 1, 1);
INSERT INTO knowledge_edges(id, source_id, target_id, type, weight) VALUES
  ('e1', 'mt_a', 'mt_b', 'SAID_IN', 0.5), ('e2', 'kn_1', 'mt_a', 'IS_A', 1);
INSERT INTO conversations VALUES('c1', 'First', 5, 6, '{}');
INSERT INTO messages VALUES('m1', 'c1', 'user', 'hello', 5), ('m2', 'c1', 'assistant', 'hi', 6);
)sql";

class AgentOsBrainTest : public AgentOsFixture {
 protected:
  // The bytes of a brain, changed by `script`.
  std::string Brain(const std::string& script = "", bool with_log = false) {
    const std::string path = scratch_.File("brain");
    std::ofstream(path, std::ios::trunc).close();
    {
      sqlite::Database::Options options;
      options.access = sqlite::Access::kScratch;
      auto database = sqlite::Database::Open(path, options);
      EXPECT_TRUE(database);
      if (!database) return "";
      for (const std::string& part : {std::string(kBrain), script}) {
        const base::Status done = database->Execute(part.c_str());
        EXPECT_TRUE(done) << done.error().message;
      }
    }
    std::ifstream file(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (with_log && bytes.size() > 19) bytes[18] = bytes[19] = 2;  // as AgentOS leaves it
    return bytes;
  }
  std::string WhyRefused(const std::string& script) {
    const Answered answer = PostText("/import", Brain(script));
    EXPECT_EQ(answer.status, 400) << script << answer.body;
    EXPECT_EQ(ExportAgentOs()["traces"], Json::array());
    return base::DumpJson(answer.body);
  }
};

TEST_F(AgentOsBrainTest, BrainIsImportedOnce) {
  for (const bool with_log : {false, true}) {
    StartEmpty();
    const std::string file = Brain("", with_log);
    const Json report = PostText("/import", file).body;
    EXPECT_EQ(report["imported"], 2) << report;
    EXPECT_EQ(report["skipped"], 1);
    EXPECT_EQ(report["imported_edges"], 1);
    EXPECT_EQ(report["imported_conversations"], 1);
    EXPECT_EQ(report["imported_messages"], 2);
    EXPECT_EQ(report["errors"], Json::array()) << report;
    const Json trace = Trace("mt_a");
    EXPECT_EQ(trace["tags"], Json({"drink", "hot"}));
    EXPECT_EQ(trace["emotions"]["valence"], 0.25);
    EXPECT_EQ(trace["metadata"], (Json{{"import_hash", "abc"}, {"n", 1}}));
    EXPECT_EQ(trace["createdAt"], 1711234567890);
    EXPECT_EQ(trace["lastAccessed"], 1711234600000);
    EXPECT_EQ(trace["retrievalCount"], 3);
    const Json here = ExportAgentOs();
    EXPECT_EQ(here["traces"][0]["storedStrength"], 0.5);
    EXPECT_EQ(here["traces"][1]["scopeId"], "c1");
    EXPECT_EQ(here["messages"].size(), 2u);
    const Json again = PostText("/import?format=sqlite", file).body;
    EXPECT_EQ(again["imported"], 0) << again;
    EXPECT_EQ(again["imported_edges"], 0);
    EXPECT_EQ(again["imported_messages"], 0);
    EXPECT_EQ(ExportAgentOs(), here);
  }
}

TEST_F(AgentOsBrainTest, TagsOfEqualTextAreUnited) {
  const std::string tea = Add("User drinks tea.", {{"type", "semantic"}, {"tags", {"mine"}}});
  const Json report = PostText("/import", Brain()).body;
  EXPECT_EQ(report["imported"], 1) << report;
  EXPECT_EQ(Trace(tea)["tags"], Json({"mine", "drink", "hot"}));
  EXPECT_EQ(Found({{"query", "hot"}}), Ids{tea});
}

TEST_F(AgentOsBrainTest, FileWithExecutableSchemaIsRefused) {
  for (const auto& [script, says] : std::vector<std::pair<std::string, std::string>>{
           {"CREATE TRIGGER t AFTER INSERT ON messages BEGIN DELETE FROM messages; END",
            "its trigger t could run"},
           {"CREATE VIEW v AS SELECT 1", "its view v could run"},
           {"DROP TABLE messages; CREATE VIEW messages AS SELECT * FROM conversations", "its view"},
           {"CREATE TABLE c(x CHECK (x > abs(x)))", "its table c could run"},
           {"CREATE TABLE g(x, y GENERATED ALWAYS AS (x || x))", "its table g could run"},
           {"CREATE TABLE g(x, y TEXT AS (upper(x)))", "its table g could run"},
           {"CREATE INDEX i ON messages(upper(content))", "its index i could run"},
           {"CREATE TABLE c(x CHECK/**/(x > 1))", "its table c could run"},
           {"CREATE TABLE c(x, CONSTRAINT y CHECK--\n(x > 1))", "its table c could run"},
           {"CREATE TABLE g(x, y AS/**/(upper(x)) STORED)", "its table g could run"},
           {"CREATE TABLE g(x, y blob as(upper(x)))", "its table g could run"},
           {"CREATE TABLE g(x, \"y(\" generated/**/always as (x||x))", "its table g could run"},
           {"CREATE INDEX i ON messages(content || role)", "its index i could run"},
           {"CREATE INDEX i ON messages(content COLLATE NOCASE, -role)", "its index i could run"},
           {"CREATE INDEX i ON messages(role) WHERE upper(content) > 'A'", "its index i could run"},
           {"CREATE/**/VIRTUAL TABLE r USING/**/rtree(a, b, c)", "virtual"},
           {"CREATE VIRTUAL TABLE \"using fts5(\" USING rtree(a, b, c)", "virtual"},
           {"DROP TABLE messages; CREATE VIRTUAL TABLE messages USING fts5(id, conversation_id, "
            "role, content, created_at)",
            "messages is no plain table"},
           {"DROP TABLE memory_traces_fts; DROP TABLE memory_traces; CREATE VIRTUAL TABLE "
            "memory_traces USING fts5(id, type, scope, content, strength, created_at, "
            "last_accessed, retrieval_count, tags, emotions, metadata, deleted)",
            "memory_traces is no plain table"},
           {"CREATE VIRTUAL TABLE r USING rtree(a, b, c)", "virtual"},
           {"DROP TABLE messages; CREATE TABLE messages(conversation_id, role)",
            "messages has no column content"},
           {"DROP INDEX idx_traces_type; ALTER TABLE memory_traces DROP COLUMN deleted",
            "memory_traces has no column deleted"},
           {"ALTER TABLE messages ADD COLUMN RowId", "a column named rowid"},
           {"PRAGMA foreign_keys = OFF; DROP TABLE conversations; CREATE TABLE conversations(id "
            "TEXT PRIMARY KEY, title, "
            "created_at, updated_at, metadata) WITHOUT ROWID",
            "conversations is a table without rowids"}}) {
    const std::string why = WhyRefused(script);
    EXPECT_NE(why.find(says), why.npos) << why;
  }
  std::string tables;
  for (int i = 0; i < 201; ++i) tables += "CREATE TABLE t" + std::to_string(i) + "(x);";
  EXPECT_NE(WhyRefused(tables).find("more than 200"), std::string::npos);
}

TEST_F(AgentOsBrainTest, NamesThatResembleSqlKeywordsAreAccepted) {
  for (const char* script :
       {"CREATE TABLE c(\"check\", [generated always as (x)], `CHECK(x)` TEXT DEFAULT 'CHECK(1)')",
        "CREATE TABLE c(x /* CHECK(x > 1) */, y -- GENERATED ALWAYS AS (x)\n)",
        "CREATE INDEX i ON messages(role) WHERE role = '(('", "CREATE TABLE checks(checked, texts)",
        "CREATE VIRTUAL TABLE f USING FTS5(content, tokenize = 'porter unicode61')"}) {
    const Answered taken = PostText("/import?format=sqlite", Brain(script));
    EXPECT_EQ(taken.status, 200) << script << taken.body;
  }
}

TEST_F(AgentOsBrainTest, InvalidRowsAreListedWithFieldAndLimit) {
  const Json report =
      PostText("/import",
               Brain("UPDATE memory_traces SET strength = 'strong' WHERE id = 'mt_a';"
                     "UPDATE memory_traces SET content = CAST(x'fffe' AS TEXT) WHERE id = 'mt_b';"
                     "INSERT INTO memory_traces(id, type, scope, content, created_at) VALUES"
                     "('mt_big', 'semantic', 'user', CAST(zeroblob(3000000) AS TEXT), 1),"
                     "('mt_blob', 'semantic', 'user', x'00', 1),"
                     "('mt_long', 'semantic', 'user', replace(hex(zeroblob(30000)), '0', 'x'), 1),"
                     "('mt_type', 'dream', 'user', 'x', 1);"
                     "INSERT INTO memory_traces(id, type, scope, content, created_at, metadata) "
                     "VALUES('mt_json', 'semantic', 'user', 'y', 1, '{cut');"
                     "UPDATE messages SET role = 'ghost' WHERE id = 'm2'"))
          .body;
  EXPECT_EQ(report["imported"], 0) << report;
  std::string all = base::DumpJson(report["errors"]);
  for (const char* says :
       {"trace 0: strength must be a number", "trace 1: a text is not UTF-8", "the row has 3000",
        "the limit is 1048576", "content has 60000 characters, the limit is", "type must be one of",
        "metadata must be an object", "role must be user"})
    EXPECT_NE(all.find(says), all.npos) << says << all;
}

TEST_F(AgentOsBrainTest, DamagedBrainIsImportedOrRefusedSafely) {
  const std::string file = Brain();
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 40; ++round) {
    std::string damaged = file;
    for (int i = 0; i < 8; ++i)
      damaged[16 + random() % (damaged.size() - 16)] = static_cast<char>(random());
    if (round % 4 == 0) damaged.resize(random() % damaged.size());
    const int status = PostText("/import?format=sqlite", damaged).status;
    EXPECT_TRUE(status == 200 || status == 400) << status;
  }
  EXPECT_EQ(Get("/health").status, 200);
  EXPECT_EQ(Get("/export?format=agentos-json").status, 200);
}

}  // namespace
}  // namespace memory
