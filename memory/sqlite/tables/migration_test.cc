// Migrations of real files: killed at each statement, and refused for newer files.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

constexpr int kKilled = 137;

// Three rows as the first version of the schema keeps them: it never changes.
constexpr const char* kRowCounts = R"sql(
INSERT INTO projects VALUES(1, 'p', 'p');
INSERT INTO ranges(number, next) VALUES(1, 4);
INSERT INTO sessions(number, id, project, started_ms, next_position) VALUES(1, 's', 1, 1000, 4);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
INSERT INTO observations(slot, id, range, project, session, position, words, marks, created_ms,
    updated_ms, seen_ms, content_ms, type, scope, hash, rule, tool, tool_call_id, origin, tags,
    title, grams, content)
  SELECT (1 << 32) + i, i, 1, 1, 1, i, 2, 0, 1000, 1000, 1000, 1000, 'discovery', 'project',
    'hash' || i, '', '', '', 'user', '[]', 'note', '', 'alpha word' || i FROM n;
INSERT INTO words(rowid, title, content, tags, grams)
  SELECT slot, title, content, tags, grams FROM live_words;
UPDATE counters SET value = 4 WHERE name = 'next_id';
)sql";

class Migration : public ::testing::Test {
 protected:
  std::vector<const char*> Steps(size_t count) const {
    return {SchemaSteps().begin(), SchemaSteps().begin() + static_cast<ptrdiff_t>(count)};
  }
  // A new file as a program that knew `version` steps left it.
  std::string FileOf(size_t version) {
    std::string path = scratch_.File("file" + std::to_string(++files_));
    auto database = sqlite::Database::Open(path, {});
    EXPECT_TRUE(database) << database.error().message;
    if (version == 0) return path;
    EXPECT_TRUE(sqlite::Migrate(*database, Steps(1)));
    EXPECT_TRUE(database->Execute(kRowCounts));
    auto migrated = sqlite::Migrate(*database, Steps(version));
    EXPECT_TRUE(migrated) << migrated.error().message;
    return path;
  }
  // Migrates in a process that dies before statement `number` → its exit code.
  static int MigrateAndDie(const std::string& path, int number) {
    pid_t child = fork();
    if (child == 0) {
      auto database = sqlite::Database::Open(path, {});
      if (!database) _exit(1);
      sqlite3_trace_v2(
          database->handle(), SQLITE_TRACE_STMT,
          [](unsigned, void* left, void*, void*) -> int {
            if (--*static_cast<int*>(left) <= 0) _exit(kKilled);
            return 0;
          },
          &number);
      _exit(sqlite::Migrate(*database, SchemaSteps()) ? 0 : 2);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static int64_t VersionOf(const std::string& path) {
    auto database = sqlite::Database::Open(path, {});
    EXPECT_TRUE(database);
    auto version = database->Prepare("PRAGMA user_version");
    EXPECT_TRUE(*version->Step());
    return version->Int(0);
  }
  static void ExpectEverything(const std::string& path, bool with_rows) {
    auto store = SqliteStore::Open(path, {});
    ASSERT_TRUE(store) << store.error().message;
    auto sound = (*store)->CheckIntegrity();
    EXPECT_TRUE(sound) << sound.error().message;
    std::set<int64_t> wanted, found;
    for (int64_t id = 1; with_rows && id <= 3; ++id) {
      wanted.insert(id);
      auto row = (*store)->Get(id);
      ASSERT_TRUE(row) << row.error().message;
      EXPECT_EQ(row->content, "alpha word" + std::to_string(id));
    }
    auto hits = (*store)->Search({}, "alpha", false);
    ASSERT_TRUE(hits) << hits.error().message;
    for (const Found& hit : hits->rows) found.insert(hit.row.id);
    EXPECT_EQ(found, wanted);
    EXPECT_EQ((*store)->Usage().rows, static_cast<int64_t>(wanted.size()));
    auto saved = (*store)->Save(Note("after the migration"), "", kMidnight);
    EXPECT_TRUE(saved) << saved.error().message;
  }

  testing::TemporaryDirectory scratch_;
  int files_ = 0;
};

TEST_F(Migration, CrashAtAnyStatementLosesNoRow) {
  for (size_t from = 0; from < SchemaSteps().size(); ++from) {
    for (int number = 1;; ++number) {
      SCOPED_TRACE("from version " + std::to_string(from) + ", killed before statement " +
                   std::to_string(number));
      ASSERT_LT(number, 1000);
      std::string path = FileOf(from);
      int code = MigrateAndDie(path, number);
      const int64_t version = VersionOf(path);
      ExpectEverything(path, from > 0);
      if (HasFatalFailure()) return;
      if (code == 0) break;  // it was through before
      ASSERT_EQ(code, kKilled);
      // A step is a transaction: what is killed behind this one is looked at from there.
      if (version > static_cast<int64_t>(from)) break;
    }
  }
}

// Before step 8 nothing said in which order a session's rows were written.
TEST_F(Migration, StepEightOrdersRowsAndCountsSessions) {
  const std::string path = FileOf(7);
  auto database = sqlite::Database::Open(path, {});
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->Execute(
      "INSERT INTO sessions(id, project, started_ms) VALUES('later', 1, 1), ('ties', 1, 1);"
      "INSERT INTO observations(slot, id, range, project, session, position, words, marks, "
      "created_ms, updated_ms, seen_ms, content_ms, type, scope, hash, rule, tool, tool_call_id, "
      "origin, tags, title, grams, content) SELECT 100 + key, iif(session = 3, 50 - key, 200 + "
      "key), 0, 1, "
      "session, key, 1, 0, 1000 - key * (session = 2), 1, 1, 1, 't', 'global', key, '', '', '', "
      "'user', '[]', '', '', '' FROM (SELECT 1 AS key, 3 AS session UNION ALL SELECT 2, 3 "
      "UNION ALL SELECT 31, 2 UNION ALL SELECT 32, 2)"));
  ASSERT_TRUE(sqlite::Migrate(*database, SchemaSteps()));
  std::vector<int64_t> got;
  auto sessions = database->Prepare("SELECT mixed, last_ms, last_id FROM sessions ORDER BY number");
  ASSERT_TRUE(sessions) << sessions.error().message;
  while (*sessions->Step()) {
    for (int column = 0; column < 3; ++column) got.push_back(sessions->Int(column));
  }
  EXPECT_EQ(got, (std::vector<int64_t>{0, 1000, 3, 1, 968, 232, 1, 1000, 48}));
  auto counts = database->Prepare("SELECT sessions, shared_rows FROM ranges WHERE number = 1");
  ASSERT_TRUE(*counts->Step());
  EXPECT_EQ(counts->Int(0), 3);
  EXPECT_EQ(counts->Int(1), 4);
}

TEST_F(Migration, FileOfANewerVersionIsRefusedUnchanged) {
  std::string path = FileOf(SchemaSteps().size());
  {
    auto database = sqlite::Database::Open(path, {});
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->Execute("PRAGMA user_version=999"));
  }
  auto refused = SqliteStore::Open(path, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kInvalid);
  EXPECT_NE(refused.error().message.find(path), std::string::npos);
  EXPECT_NE(refused.error().message.find("start the newer program again"), std::string::npos);
  EXPECT_EQ(VersionOf(path), 999);
}

}  // namespace
}  // namespace memory
