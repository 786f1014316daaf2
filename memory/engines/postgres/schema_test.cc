// The schema on a real server: its versions, its fences, and every statement of the program.
#include "memory/engines/postgres/schema.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "lib/base/text/text.h"
#include "lib/postgres/dialect.h"
#include "memory/engines/postgres/schema_fixture.h"

namespace memory {
namespace {

using postgres::Database;

// The statements of the program: the texts in its file that begin like one.
std::set<std::string> StatementsOf(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  std::set<std::string> statements;
  const std::string all = bytes.str();
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\0', at), all.size());
    const std::string_view text(&all[at], end - at);
    for (const char* verb :
         {"SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "WITH RECURSIVE "})
      if (text.starts_with(verb)) statements.insert(std::string(text));
    at = end + 1;
  }
  return statements;
}

// What one engine runs by itself: schema versions, and of files full-text tables, its own tables,
// and copies of a file, which Execute gets as scripts.
bool IsOfFiles(const std::string& sql) {
  if (sql.size() < 20) return true;  // the beginning of one that is put together
  for (const char* part : {"words(",
                           "words ",
                           "hits(",
                           "waiting",
                           "words_data",
                           "sqlite_schema",
                           "sqlite_sequence",
                           "pragma_",
                           "rowid",
                           "'erase_asked'",
                           "total_changes",
                           "fts5(",
                           "randomblob",
                           ";",
                           "IS NOT (SELECT",
                           "sdk_sessions",
                           "session_summaries",
                           "user_prompts",
                           "ORDER BY rowid",
                           "typeof(",
                           "schema_versions",
                           "pg_"})
    if (sql.find(part) != std::string::npos && sql.find("row_is_sound") == std::string::npos &&
        sql.find("words FROM ranges") == std::string::npos)
      return true;
  return false;
}

TEST_F(PostgresSchemaTest, RunsEachStatementOfTheProgram) {
  const char* folder = getenv("AGENT_MEMORY_BIN");
  const std::set<std::string> statements =
      StatementsOf(std::string(folder ? folder : "") + "/agent-memory-server");
  ASSERT_GT(statements.size(), 300u) << "AGENT_MEMORY_BIN has no agent-memory-server";
  Database database = Own();
  const std::string tenant = std::to_string(MakeTenant(database, "a"));
  size_t prepared = 0;
  for (const std::string& sql : statements) {
    if (IsOfFiles(sql)) continue;
    const std::string text = postgres::Translate(sql);
    // With values of unknown types, as NULLs are, and then with those that the driver sends.
    base::Status done = database.Execute(("PREPARE s AS " + text).c_str());
    EXPECT_TRUE(done) << sql << "\n  " << done.error().message;
    if (!done) continue;
    ++prepared;
    std::string types, values;
    {
      auto read = database.Prepare(
          "SELECT CASE t.name WHEN 'integer' THEN 'bigint' ELSE t.name END FROM "
          "pg_prepared_statements p, "
          "unnest(p.parameter_types::text[]) WITH ORDINALITY t(name, place) WHERE p.name = 's' "
          "ORDER BY place");
      ASSERT_TRUE(read);
      ASSERT_TRUE(read->ForEachRow([&](const sql::Statement& row) {
        const std::string type = row.Text(0);
        EXPECT_TRUE(type == "bigint" || type == "text" || type == "double precision" ||
                    type == "bytea")
            << type << " of " << sql;
        types += (types.empty() ? "(" : ", ") + type;
        values += (values.empty() ? "(" : ", ") + std::string(type == "text"    ? "'[1]'"
                                                              : type == "bytea" ? "'\\x01'"
                                                                                : "1");
      }));
    }
    if (!types.empty()) {
      Run(database, "DEALLOCATE s");
      done = database.Execute(("PREPARE s" + types + ") AS " + text).c_str());
      EXPECT_TRUE(done) << types << " of " << sql << "\n  " << done.error().message;
      if (!done) continue;
      values += ")";
    }
    done = database.Execute(
        ("BEGIN; SELECT agent_memory.enter(" + tenant + ", 1, '[]', true); EXECUTE s" + values)
            .c_str());
    // The values are those of no row; a constraint may say so.
    EXPECT_TRUE(done || done.error().code == base::Code::kConflict)
        << values << " of " << sql << "\n  " << done.error().message;
    Run(database, "ROLLBACK; DEALLOCATE s");
  }
  EXPECT_GT(prepared, 250u);
}

// A row in every table, whatever its columns are.
constexpr const char* kFillTables = R"sql(
DO $f$ DECLARE
  one record;
BEGIN
  FOR one IN SELECT c.oid, c.relname,
      string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns,
      string_agg(CASE a.atttypid WHEN 'text'::regtype THEN '''open''' WHEN 'bytea'::regtype THEN '''\x01'''
        ELSE '1' END, ', ' ORDER BY a.attnum) AS row
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relnamespace = 'agent_memory_rows'::regnamespace AND c.relkind = 'r' AND a.attname <> 'tenant' AND
      c.relname NOT IN ('tenants', 'probes', 'schema_versions')
    GROUP BY c.oid, c.relname ORDER BY c.oid LOOP
    EXECUTE format('INSERT INTO agent_memory.%I(%s) VALUES(%s) ON CONFLICT DO NOTHING', one.relname, one.columns,
      one.row);
  END LOOP;
END $f$)sql";

class FenceTest : public PostgresSchemaTest {
 protected:
  void SetUp() override {
    PostgresSchemaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Database owner = Own();
    for (const char* name : {"a", "b"}) {
      tenants_.push_back(MakeTenant(owner, name));
      Run(owner, "BEGIN; SELECT agent_memory.enter(" + std::to_string(tenants_.back()) +
                     ", 0, '[]', true);" + kFillTables + "; COMMIT");
    }
  }
  static std::vector<std::string> Tables(Database& database) {
    auto read = database.Prepare(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'agent_memory_rows' AND "
        "tablename NOT IN ('tenants', 'probes', 'schema_versions') ORDER BY tablename");
    EXPECT_TRUE(read);
    return read->ReadAll([](const sql::Statement& row) { return row.Text(0); })
        .value_or(std::vector<std::string>());
  }
  std::vector<int64_t> tenants_;
};

TEST_F(FenceTest, WithoutOurFilterATableStillShowsNoRowOfAnotherTenant) {
  Database database = Own(), admin = Connect();
  const std::vector<std::string> tables = Tables(database);
  EXPECT_GT(tables.size(), 40u);
  for (const std::string& table : tables) {
    const std::string base = "agent_memory_rows." + table;
    EXPECT_EQ(Number(admin, "SELECT count(DISTINCT tenant) FROM " + base), 2) << table;
    for (const int64_t tenant : tenants_) {
      Enter(database, tenant, false);
      EXPECT_GE(Number(database, "SELECT count(*) FROM " + base), 1) << table;
      EXPECT_EQ(Number(database, "SELECT count(*) FROM " + base + " WHERE tenant <> " +
                                     std::to_string(tenant)),
                0)
          << table;
      EXPECT_EQ(Number(database, "SELECT count(*) FROM agent_memory." + table),
                Number(admin, "SELECT count(*) FROM " + base +
                                  " WHERE tenant = " + std::to_string(tenant)))
          << table;
    }
  }
}

TEST_F(FenceTest, WithoutRowLevelSecurityAViewStillShowsNoRowOfAnotherTenant) {
  Database database = Own();
  for (const std::string& table : Tables(database))
    Run(database, "ALTER TABLE agent_memory_rows." + table + " DISABLE ROW LEVEL SECURITY");
  Enter(database, tenants_[1], false);
  const std::string other = " WHERE tenant = " + std::to_string(tenants_[0]);
  for (const std::string& table : Tables(database)) {
    EXPECT_GE(Number(database, "SELECT count(*) FROM agent_memory_rows." + table + other), 1)
        << table;
    EXPECT_EQ(Number(database, "SELECT count(*) FROM agent_memory." + table + other), 0) << table;
  }
}

TEST_F(FenceTest, NoStatementChangesOrAddsARowOfAnotherTenant) {
  Database database = Own(), admin = Connect();
  const std::string other = std::to_string(tenants_[0]);
  for (const std::string& table : Tables(database)) {
    const std::string base = "agent_memory_rows." + table;
    const int64_t before =
        Number(admin, "SELECT count(*) FROM " + base + " WHERE tenant = " + other);
    Run(database, "BEGIN; SELECT agent_memory.enter(" + std::to_string(tenants_[1]) +
                      ", 0, '[]', true);"
                      "DELETE FROM " +
                      base + " WHERE tenant = " + other + "; COMMIT");
    EXPECT_EQ(Number(admin, "SELECT count(*) FROM " + base + " WHERE tenant = " + other), before)
        << table;
  }
  EXPECT_FALSE(database.Execute(
      ("BEGIN; SELECT agent_memory.enter(" + std::to_string(tenants_[1]) +
       ", 0, '[]', true); INSERT INTO agent_memory.tombstones(id, deleted_ms, tenant) "
       "VALUES(7, 7, " +
       other + "); COMMIT")
          .c_str()));
  Run(database, "ROLLBACK");
}

TEST_F(FenceTest, WithoutATenantNothingIsRead) {
  Database database = Own();
  for (const std::string& table : Tables(database))
    EXPECT_FALSE(Ask(database, "SELECT count(*) FROM agent_memory_rows." + table)) << table;
}

TEST_F(PostgresSchemaTest, TenThousandTenantsMakeNoTableAndNoIndex) {
  Database owner = Own();
  const auto objects = [&] { return Number(owner, "SELECT count(*) FROM pg_class"); };
  MakeTenant(owner, "first");
  const int64_t before = objects();
  Run(owner, "SELECT count(agent_memory.tenant_of('t' || i)) FROM generate_series(1, 10000) i");
  EXPECT_EQ(objects(), before);
  EXPECT_EQ(Number(owner, "SELECT count(*) FROM agent_memory_rows.tenants"), 10001);
  // A transaction of the last one holds as many locks as one of the first.
  std::vector<int64_t> locks;
  for (const char* name : {"first", "t10000"}) {
    Database database = Own();
    Run(database, std::string("BEGIN; SELECT agent_memory.enter(number, 0, '[]', true) FROM "
                              "agent_memory_rows.tenants WHERE name = '") +
                      name +
                      "'; UPDATE agent_memory.counters SET value = value + 1 WHERE name = 'probe'");
    locks.push_back(
        Number(owner,
               "SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid() AND "
               "database = (SELECT oid FROM pg_database WHERE datname = current_database())"));
    Run(database, "ROLLBACK");
  }
  EXPECT_EQ(locks[0], locks[1]);
  Database database = Own();
  Enter(database,
        Number(owner, "SELECT number FROM agent_memory_rows.tenants WHERE name = 't10000'"));
  EXPECT_EQ(Number(database, "SELECT value FROM counters WHERE name = 'probe'"), 0);
}

TEST_F(PostgresSchemaTest, ManyProgramsAtOnceMakeItOnce) {
  Database owner = Own();
  Run(owner, "DROP SCHEMA agent_memory CASCADE; DROP SCHEMA agent_memory_rows CASCADE");
  std::vector<std::jthread> programs;
  std::atomic<int> made = 0;
  for (int i = 0; i < 4; ++i) {
    programs.emplace_back([&] {
      Database own = Own();
      const base::Status done = MigrateSchema(own);
      EXPECT_TRUE(done) << done.error().message;
      made += done.has_value();
    });
  }
  programs.clear();
  EXPECT_EQ(made, 4);
  EXPECT_EQ(Number(owner, "SELECT count(*) FROM agent_memory_rows.schema_versions"), 1);
}

TEST_F(PostgresSchemaTest, AProgramThatEndsInTheMiddleLeavesNothing) {
  Database owner = Own();
  Run(owner, "DROP SCHEMA agent_memory CASCADE; DROP SCHEMA agent_memory_rows CASCADE");
  // Something in its way makes the step fail after most of its tables.
  Run(owner, "CREATE SCHEMA agent_memory; CREATE TABLE agent_memory.sqlite_schema()");
  EXPECT_FALSE(MigrateSchema(owner));
  EXPECT_EQ(Number(owner, "SELECT count(*) FROM pg_tables WHERE schemaname = 'agent_memory_rows'"),
            0);
  Database again = Own();
  Run(again, "DROP TABLE agent_memory.sqlite_schema");
  const base::Status done = MigrateSchema(again);
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(PostgresSchemaTest, AnOlderProgramWorksBesideAStepThatOnlyAdds) {
  Database owner = Own();
  Run(owner, "INSERT INTO agent_memory_rows.schema_versions(version, works_since) VALUES(2, 1)");
  EXPECT_TRUE(MigrateSchema(owner));
  Run(owner, "INSERT INTO agent_memory_rows.schema_versions(version, works_since) VALUES(3, 2)");
  const base::Status refused = MigrateSchema(owner);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kInvalid);
  EXPECT_NE(refused.error().message.find("version 3"), std::string::npos);
}

}  // namespace
}  // namespace memory
