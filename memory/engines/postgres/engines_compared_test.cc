// The same writes on both engines leave the same rows: numbers that are given, counts that triggers
// keep, rows that go with others.
#include <map>
#include <random>

#include "lib/base/process/clock.h"
#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/engines/postgres/schema_fixture.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {
namespace {

using Value = std::variant<std::monostate, int64_t, double, std::string>;

class EnginesComparedTest : public PostgresSchemaTest {
 protected:
  void SetUp() override {
    PostgresSchemaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    auto file = sqlite::Database::Open(scratch_.File("db"), {});
    ASSERT_TRUE(file);
    file_.emplace(std::move(*file));
    ASSERT_TRUE(sqlite::Migrate(*file_, SchemaSteps()));
    server_.emplace(Own());
    tenant_ = MakeTenant(*server_, "a");
    MakeTenant(*server_, "other");
    Enter(*server_, tenant_);
    // Words of the tables on both sides: what is compared.
    auto read = server_->Prepare(
        "SELECT c.relname, a.attname, CASE a.atttypid WHEN 'bytea'::regtype THEN 'length(' || "
        "a.attname || ')' "
        "WHEN 'float8'::regtype THEN 'CAST(1000 * ' || a.attname || ' AS BIGINT)' "
        "ELSE '\"' || a.attname || '\"' END FROM pg_class c JOIN pg_attribute a ON a.attrelid = "
        "c.oid "
        "AND a.attnum > 0 WHERE c.relnamespace = 'agent_memory_rows'::regnamespace AND c.relkind = "
        "'r' AND "
        "a.attname <> 'tenant' AND c.relname NOT IN ('tenants', 'schema_versions', 'changes', "
        "'numbers', 'salt') "
        "ORDER BY c.relname, a.attnum");
    ASSERT_TRUE(read);
    ASSERT_TRUE(read->ForEachRow([&](const sql::Statement& row) {
      std::string& columns = columns_[row.Text(0)];
      columns += (columns.empty() ? "" : ", ") + row.Text(2);
      ++counts_[row.Text(0)];
    }));
    ASSERT_GT(columns_.size(), 40u);
  }
  using Rows = std::vector<std::string>;
  static base::Result<Rows> RowsOf(sql::Database& database, const std::string& sql, int columns,
                                   const std::vector<Value>& values) {
    ASSIGN_OR_RETURN(sql::Statement run, database.Prepare(sql));
    for (const Value& value : values) {
      if (const auto* number = std::get_if<int64_t>(&value))
        run.Bind(*number);
      else if (const auto* real = std::get_if<double>(&value))
        run.Bind(*real);
      else if (const auto* text = std::get_if<std::string>(&value))
        run.Bind(*text);
      else
        run.BindNull();
    }
    Rows rows;
    RETURN_IF_ERROR(run.ForEachRow([&](const sql::Statement& row) {
      std::string& text = rows.emplace_back();
      for (int i = 0; i < columns; ++i) text += (row.IsNull(i) ? "NULL" : row.Text(i)) + "|";
    }));
    return rows;
  }
  // One transaction on each side. `columns`: of RETURNING. → the first value.
  int64_t Write(const std::string& sql, const std::vector<Value>& values, int columns = 0) {
    std::vector<base::Result<Rows>> both;
    for (sql::Database* database :
         {static_cast<sql::Database*>(&*file_), static_cast<sql::Database*>(&*server_)}) {
      auto transaction = sql::Transaction::Begin(*database);
      EXPECT_TRUE(transaction);
      both.push_back(RowsOf(*database, sql, columns, values));
      const base::Status done =
          both.back() ? transaction->Commit() : base::Status(both.back().error());
      if (!done) both.back() = done.error();
    }
    EXPECT_EQ(both[0].has_value(), both[1].has_value())
        << sql << "\n  " << (both[0] ? both[1].error().message : both[0].error().message);
    if (!both[0] || !both[1]) return -1;
    EXPECT_EQ(*both[0], *both[1]) << sql;
    return columns == 0 || both[0]->empty() ? 0 : std::stoll(both[0]->front());
  }
  void CompareTables() {
    for (const auto& [table, columns] : columns_) {
      std::string order;
      for (int i = 1; i <= counts_[table]; ++i) order += (i == 1 ? "" : ", ") + std::to_string(i);
      const std::string sql = "SELECT " + columns + " FROM " + table + " ORDER BY " + order;
      const auto here = RowsOf(*file_, sql, counts_[table], {}),
                 there = RowsOf(*server_, sql, counts_[table], {});
      ASSERT_TRUE(here) << here.error().message;
      ASSERT_TRUE(there) << there.error().message;
      EXPECT_EQ(*here, *there) << table;
      rows_ += here->size();
    }
  }

  testing::TemporaryDirectory scratch_;
  std::optional<sqlite::Database> file_;
  std::optional<postgres::Database> server_;
  int64_t tenant_ = 0;
  std::map<std::string, std::string> columns_;
  std::map<std::string, int> counts_;
  size_t rows_ = 0;
};

// Writes of every kind, over few keys, so that they meet.
class Series {
 public:
  using Write = std::function<int64_t(const std::string&, const std::vector<Value>&, int)>;
  Series(unsigned seed, Write write) : random_(seed), write_(std::move(write)) {}

  void Step() {
    const int64_t time = ++now_, some = Pick(40);
    const std::string key = "k" + std::to_string(Pick(6)), owner = "o" + std::to_string(Pick(3));
    const std::string text =
        std::string(static_cast<size_t>(Pick(20)), 'x') + "ä" + std::to_string(Pick(3));
    const Value slot =
        slots_.empty() ? 1 : slots_[static_cast<size_t>(Pick(static_cast<int64_t>(slots_.size())))];
    const Value other =
        slots_.empty() ? 1 : slots_[static_cast<size_t>(Pick(static_cast<int64_t>(slots_.size())))];
    switch (Pick(30)) {
      case 0:
        if (projects_ < 4) {
          projects_ = Do("INSERT INTO projects(name, folded) VALUES(?1, ?1) RETURNING number",
                         {"p" + std::to_string(time)}, 1);
          Do("INSERT INTO ranges(number) VALUES(?1)", {projects_});
        }
        return;
      case 1:
        if (projects_ > 0)
          sessions_ =
              Do("INSERT INTO sessions(id, project, started_ms, implied) VALUES(?1, ?2, ?3, 1) "
                 "RETURNING number",
                 {"s" + std::to_string(time), Pick(projects_) + 1, time}, 1);
        return;
      case 2:
      case 3:
      case 4:
      case 5:
      case 6: {
        if (sessions_ == 0) return;
        const int64_t range = Pick(projects_ + 1),
                      project = range == 0 ? Pick(projects_) + 1 : range;
        const int64_t made = range << 32 | (slots_.size() + 1 + static_cast<size_t>(time));
        Do("INSERT INTO observations(slot, id, range, project, session, position, words, marks, "
           "created_ms, updated_ms, "
           "seen_ms, content_ms, type, scope, topic_key, hash, rule, tool, tool_call_id, origin, "
           "tags, title, grams, "
           "content) VALUES(?1, ?2, ?3, ?4, ?5, ?2, ?6, 0, ?2, ?2, ?2, ?2, 'note', ?7, ?8, ?9, '', "
           "'', '', 'user', '[]', "
           "'t', '', ?10)",
           {made, time, range, project, Pick(sessions_) + 1, some,
            range == 0 ? "global" : "project", Pick(4) == 0 ? Value(key) : Value(),
            key + key + key + key + key + key + key + key + key, text});
        slots_.push_back(made);
        return;
      }
      case 7:
        Do("UPDATE observations SET words = ?2, content = ?3, updated_ms = ?4 WHERE slot = ?1",
           {slot, some, text, time});
        return;
      case 8:
        Do("UPDATE observations SET hash = ?2, title = ?2 WHERE slot = ?1",
           {slot, key + "0123456789abcdefgh"});
        return;
      case 9:
        Do("UPDATE observations SET deleted_ms = ?2 WHERE slot = ?1", {slot, time});
        Do("INSERT INTO retired VALUES(?1, ?2) ON CONFLICT(slot) DO UPDATE SET reason = "
           "excluded.reason",
           {slot, key});
        return;
      case 10:
        Do("UPDATE observations SET deleted_ms = NULL WHERE slot = ?1", {slot});
        return;
      case 11:
        if (Pick(3) == 0) Do("DELETE FROM observations WHERE slot = ?1", {slot});
        return;
      case 12:
        Do("INSERT INTO vectors SELECT slot, ?2, x'6162' FROM observations WHERE slot = ?1 ON "
           "CONFLICT(slot) DO UPDATE "
           "SET model = excluded.model",
           {slot, some});
        return;
      case 13:
        Do("INSERT INTO item_counts(project) SELECT number FROM projects WHERE number = ?1 ON "
           "CONFLICT DO NOTHING",
           {Pick(3) + 1});
        Do("INSERT INTO items(slot, project, key, version, created_ms, accessed_ms, ttl_ns, "
           "over_ms, words, marks, value, "
           "metadata) SELECT ?1, number, ?2, 1, 1, 1, 0, NULL, ?3, 0, ?4, '{}' FROM projects WHERE "
           "number = ?5 "
           "ON CONFLICT DO NOTHING",
           {1'000'000 + some, key, some, text, Pick(3) + 1});
        return;
      case 14:
        Do("DELETE FROM items WHERE key = ?1", {key});
        return;
      case 15:
      case 16:
        Do("INSERT INTO shared_items(owner, key, version, over_ms, bytes, value) VALUES(?1, ?2, "
           "?3, NULL, ?4, ?5) ON "
           "CONFLICT(owner, key) DO UPDATE SET version = excluded.version, bytes = excluded.bytes, "
           "value = excluded.value",
           {owner, key, time, some, text});
        return;
      case 17:
        Do("DELETE FROM shared_items WHERE owner = ?1 AND key = ?2", {owner, key});
        return;
      case 18:
        Do("INSERT INTO conversations(id, created_ms, updated_ms, touched) VALUES(?1, ?2, ?2, "
           "(SELECT "
           "coalesce(max(touched), 0) + 1 FROM conversations)) ON CONFLICT DO NOTHING",
           {owner, time});
        return;
      case 19:
      case 20:
        Do("INSERT INTO messages(conversation, sequence, role, content, tool_calls, created_ms) "
           "SELECT id, ?2, 'user', ?3, "
           "?4, ?2 FROM conversations WHERE id = ?1 RETURNING number",
           {owner, time, text, Pick(2) == 0 ? Value(text) : Value()}, 1);
        return;
      case 21:
        Do("DELETE FROM messages WHERE number = (SELECT max(number) FROM messages)", {});
        return;
      case 22:
        Do("INSERT INTO blocks(conversation, block, first, query, outcome, summary, tokens, tools, "
           "digested, opened_ms, "
           "closed_ms, last) SELECT id, ?2, 1, '', '', '', 1, '[]', 0, 1, 1, 2 FROM conversations "
           "WHERE id = ?1 RETURNING number",
           {owner, time}, 1);
        Do("INSERT INTO block_forms(number, parts, checksum) SELECT number, ?1, 0 FROM blocks "
           "WHERE digested = 0 "
           "ON CONFLICT(number) DO UPDATE SET parts = excluded.parts",
           {text});
        return;
      case 23:
        if (Pick(4) == 0) {
          Do("DELETE FROM messages WHERE conversation = ?1", {owner});
          Do("DELETE FROM conversations WHERE id = ?1", {owner});
        }
        return;
      case 24:
        Do("INSERT INTO working_memory(owner, conversation, fields, bytes, version, ttl_ms, "
           "expires_ms, checksum) VALUES(?1, "
           "?2, '{}', ?3, 1, 1, ?4, 0) ON CONFLICT(conversation) DO UPDATE SET bytes = "
           "excluded.bytes",
           {owner, owner + key, some, time});
        return;
      case 25:
        Do("DELETE FROM working_memory WHERE conversation = ?1", {owner + key});
        return;
      case 26:
        Do("INSERT INTO checkpoints(owner, conversation, generation, step, saved_ms, expires_ms, "
           "bytes, sha256, document, "
           "checksum) VALUES(?1, ?2, ?3, 1, 1, ?3, ?4, '', '{}', 0)",
           {owner, owner + key, time, some});
        return;
      case 27:
        Do("DELETE FROM checkpoints WHERE generation IN (SELECT generation FROM checkpoints ORDER "
           "BY expires_ms LIMIT 2)",
           {});
        return;
      case 28:
        Do("INSERT INTO traces(slot, uuid, scope, scope_id, strength, accessed_ms, retrievals, "
           "reason, extras, text) SELECT "
           "slot, ?2, 'user', ?3, 0.5, 1, 1, '', '{}', substr(hash, 1, 16) FROM observations WHERE "
           "slot = ?1 ON CONFLICT DO NOTHING",
           {slot, "mt_" + std::to_string(time), owner});
        Do("INSERT INTO trace_edges VALUES(?1, ?2, ?3, ?4) ON CONFLICT(from_slot, to_slot) DO "
           "UPDATE SET weight = excluded.weight",
           {slot, other, key, 0.25 * static_cast<double>(some)});
        Do("INSERT INTO trace_pairs VALUES(?1, ?2, 1) ON CONFLICT(low, high) DO UPDATE SET times = "
           "trace_pairs.times + excluded.times",
           {slot, other});
        Do("INSERT INTO trace_sources VALUES(?1, ?2) ON CONFLICT DO NOTHING", {slot, other});
        Do("INSERT INTO archive_access_log(slot, accessed_ms) VALUES(?1, ?2)", {slot, time});
        return;
      default:
        Do("INSERT INTO episodes(id, slot, project, conversation, digest, agent, created_ms, "
           "fields) SELECT ?2, slot, project, "
           "?3, '', '', ?4, '{}' FROM observations WHERE slot = ?1 RETURNING id",
           {slot, Pick(3) == 0 ? Value(time) : Value(), key, time}, 1);
        Do("INSERT INTO deletions(text, created_ms, place) VALUES(?1, ?2, ?3)",
           {some, time, Pick(2) == 0 ? Value(some) : Value()});
        Do("DELETE FROM deletions WHERE number <= (SELECT max(number) FROM deletions) - ?1",
           {int64_t{20}});
        if (Pick(4) == 0)
          Do("DELETE FROM deletions WHERE number = (SELECT max(number) FROM deletions)", {});
    }
  }

 private:
  int64_t Pick(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random_);
  }
  int64_t Do(const std::string& sql, const std::vector<Value>& values, int columns = 0) {
    return write_(sql, values, columns);
  }
  std::mt19937 random_;
  const Write write_;
  int64_t now_ = 0, projects_ = 0, sessions_ = 0;
  std::vector<int64_t> slots_;
};

TEST_F(EnginesComparedTest, ARandomSeriesOfWritesLeavesTheSameRowsCountsAndNumbers) {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  Series series(seed, [&](const std::string& sql, const std::vector<Value>& values, int columns) {
    return Write(sql, values, columns);
  });
  for (int round = 0; round < 10 && !HasFailure(); ++round) {
    for (int step = 0; step < 150 && !HasFailure(); ++step) series.Step();
    CompareTables();
  }
  EXPECT_GT(rows_, 1000u);
  EXPECT_EQ(Number(*server_, "SELECT value FROM counters WHERE name = 'live_rows'"),
            Number(*server_,
                   "SELECT (SELECT count(*) FROM observations WHERE deleted_ms IS NULL) + (SELECT "
                   "count(*) FROM "
                   "items) + (SELECT count(*) FROM shared_items)"));
}

TEST_F(EnginesComparedTest, ATransactionRaisesTheVersionOnceAndNotesWhatItChanged) {
  const auto version = [&] { return Number(*server_, "SELECT version FROM agent_memory.tenants"); };
  const auto insert = [&](int64_t slot) {
    auto run = server_->Prepare(
        "INSERT INTO observations(slot, id, range, project, session, position, words, marks, "
        "created_ms, updated_ms, "
        "seen_ms, content_ms, type, scope, hash, rule, tool, tool_call_id, origin, tags, title, "
        "grams, content) VALUES(?1, "
        "?1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, '', '', '', '', '', '', '', '', '', '', '')");
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->Bind(slot).Run());
  };
  {
    auto all = sql::Transaction::Begin(*server_);
    insert(1);
    {
      auto undone = sql::Transaction::Begin(*server_);
      insert(2);
    }
    insert(3);
    ASSERT_TRUE(all->Commit());
  }
  EXPECT_EQ(version(), 1);
  EXPECT_EQ(Number(*server_, "SELECT count(*) FROM agent_memory.changes WHERE version = 1"), 2);
  {
    auto rolled_back = sql::Transaction::Begin(*server_);
    insert(4);
  }
  EXPECT_EQ(version(), 1);
  {  // The first change of the transaction is undone with its savepoint, and another one follows.
    auto all = sql::Transaction::Begin(*server_);
    {
      auto undone = sql::Transaction::Begin(*server_);
      insert(4);
    }
    ASSERT_TRUE(Do(*server_, "DELETE FROM observations WHERE slot = 1"));
    ASSERT_TRUE(all->Commit());
  }
  EXPECT_EQ(version(), 2);
  EXPECT_EQ(Number(*server_, "SELECT version FROM agent_memory.changes WHERE slot = 1"), 2);
  EXPECT_EQ(Number(*server_, "SELECT version FROM agent_memory.changes WHERE slot = 3"), 1);
}

}  // namespace
}  // namespace memory
