// The same writes on both engines leave the same rows: numbers that are given, counts that triggers
// keep, rows that go with others.
#include <functional>
#include <iostream>
#include <random>

#include "memory/engines/postgres/engines_fixture.h"

namespace memory {
namespace {

using EnginesComparedTest = EnginesTest;

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
