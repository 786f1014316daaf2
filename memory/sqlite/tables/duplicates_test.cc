// The look-up of a write, compared with a scan of all rows of the same text.
#include "memory/sqlite/tables/duplicates.h"

#include <gtest/gtest.h>

#include <random>

#include "lib/sqlite/database.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

using sqlite::Database;

class DuplicatesTest : public ::testing::Test {
 protected:
  DuplicatesTest() : clock_(kMidnight), database_(Open(scratch_.File("file"))) {
    EXPECT_TRUE(sqlite::Migrate(database_, SchemaSteps()));
    EXPECT_TRUE(Liveness::RegisterFunction(std::make_shared<Liveness>(clock_), database_));
    EXPECT_TRUE(
        database_.Execute("INSERT INTO projects VALUES(1, 'p', 'p'), (2, 'q', 'q');"
                          "INSERT INTO sessions(number, id, project, started_ms) "
                          "VALUES(1, 's', 1, 1000)"));
  }
  static Database Open(const std::string& path) {
    auto opened = Database::Open(path, {});
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  void Add(const Candidate& row, int64_t project, bool deleted) {
    auto add = database_.Prepare(
        "INSERT INTO observations(slot, id, range, project, session, position, words, marks, "
        "created_ms, updated_ms, seen_ms, content_ms, deleted_ms, type, scope, hash, rule, tool, "
        "tool_call_id, origin, tags, title, grams, content) VALUES(?1, ?1, 1, ?2, 1, ?1, 1, 0, "
        "?3, ?3, ?3, ?3, iif(?4, 1, NULL), ?5, ?6, ?7, ?8, '', '', 'user', '[]', 't', '', 'c')");
    ASSERT_TRUE(add) << add.error().message;
    add->Bind(row.row).Bind(project).Bind(row.content_ms).Bind(int64_t{deleted});
    add->Bind(row.type).Bind(row.scope).Bind(row.hash).Bind(row.rule);
    auto added = add->Run();
    ASSERT_TRUE(added) << added.error().message;
  }
  std::vector<Candidate> Look(const Incoming& incoming) {
    auto found = FindCandidates(database_, incoming, 1, kWindow);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<Candidate>();
  }
  // Every live row of the project with the text, in the order of the file.
  std::vector<Candidate> LookAtAll(const std::string& hash) {
    auto read = database_.Prepare(
        "SELECT slot, '', scope, type, rule, hash, content_ms FROM observations "
        "WHERE hash = ?1 AND project = 1 AND deleted_ms IS NULL ORDER BY slot");
    std::vector<Candidate> rows;
    read->Bind(hash);
    while (*read->Step()) {
      rows.push_back({read->Int(0), read->Text(1), read->Text(2), read->Text(3), read->Text(4),
                      read->Text(5), read->Int(6)});
    }
    return rows;
  }
  // Instructions of SQLite's machine that a look-up takes.
  int Cost(const Incoming& incoming) {
    Look(incoming);  // compiled now
    int steps = 0;
    sqlite3_progress_handler(
        database_.handle(), 1, [](void* count) { return ++*static_cast<int*>(count), 0; }, &steps);
    Look(incoming);
    sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
    return steps;
  }

  template <class Look>
  int CostOf(const Look& look) {
    look();  // compiled now
    int steps = 0;
    sqlite3_progress_handler(
        database_.handle(), 1, [](void* count) { return ++*static_cast<int*>(count), 0; }, &steps);
    look();
    sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
    return steps;
  }
  static api::Observation Given(int64_t created_ms, const std::string& hash = "hash") {
    api::Observation row;
    row.type = "note", row.title = "t", row.normalized_hash = hash;
    row.created_ms = row.updated_ms = created_ms;
    return row;
  }
  // 0: there is none.
  int64_t LookForImported(const api::Observation& row) {
    auto found = FindImported(database_, row, 1, 1, {});
    EXPECT_TRUE(found) << found.error().message;
    return found && *found ? (*found)->row : 0;
  }

  static constexpr int64_t kWindow = 15 * kMinute;
  ::testing::FakeClock clock_;
  testing::TemporaryDirectory scratch_;
  Database database_;
};

TEST_F(DuplicatesTest, RandomRowsDecideLikeAFullScan) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto some = [&](const char* what, uint64_t most) {
    return what + std::to_string(random() % most);
  };
  auto time = [&] { return kMidnight + static_cast<int64_t>(random() % 12) * 5 * kMinute; };
  int counted = 0;
  for (int64_t slot = 1; slot <= 600; ++slot) {
    Add({slot, "", some("scope", 2), some("type", 3), some("rule", 2), some("hash", 4), time()},
        random() % 8 == 0 ? 2 : 1, random() % 4 == 0);
    if (HasFatalFailure()) return;
    const Incoming incoming{
        "", some("scope", 2), some("type", 3), some("rule", 2), some("hash", 4), time()};
    const Decision wanted = Decide(LookAtAll(incoming.hash), incoming, kWindow);
    const Decision got = Decide(Look(incoming), incoming, kWindow);
    ASSERT_EQ(got.tier, wanted.tier);
    ASSERT_EQ(got.row, wanted.row);
    counted += got.tier == Tier::kHash;
  }
  EXPECT_GT(counted, 50);
}

TEST_F(DuplicatesTest, EqualTextsOfOtherTypesOrTimesCostNothing) {
  const Incoming incoming{"", "project", "note", "", "hash", kMidnight};
  Add({1, "", "project", "note", "", "hash", kMidnight}, 1, false);
  const int alone = Cost(incoming);
  ASSERT_TRUE(database_.Execute("BEGIN"));
  for (int64_t slot = 2; slot <= 6000; ++slot) {
    Candidate row{slot, "", "project", "note", "", "hash", kMidnight};
    const auto number = std::to_string(slot);
    if (slot % 3 == 0) row.type += number;
    if (slot % 3 == 1) row.rule = number;
    if (slot % 3 == 2) row.content_ms -= kWindow + slot;
    Add(row, 1, slot % 2 == 0);
  }
  ASSERT_TRUE(database_.Execute("COMMIT"));
  EXPECT_EQ(Look(incoming).at(0).row, 1);
  EXPECT_LE(Cost(incoming), alone + 16);
  for (int64_t slot = 6001; slot <= 6100; ++slot)  // an import can bring rows of the same moment
    Add({slot, "", "project", "note", "", "hash", kMidnight}, 1, false);
  EXPECT_EQ(Look(incoming).at(0).row, 1);
  EXPECT_LE(Cost(incoming), alone + 16);
}

TEST_F(DuplicatesTest, ImportedRowIsFoundAmongThousandsOfEqualText) {
  Add({1, "", "project", "note", "", "hash", kMidnight}, 1, false);
  const auto here = [&] { return LookForImported(Given(kMidnight)); };
  const auto absent = [&] { return LookForImported(Given(kMidnight + 1)); };
  const int alone = CostOf(here), none = CostOf(absent);
  ASSERT_TRUE(database_.Execute("BEGIN"));
  for (int64_t slot = 2; slot <= 6000; ++slot)
    Add({slot, "", "project", "note", "", "hash", kMidnight - slot * kMinute}, 1, false);
  ASSERT_TRUE(database_.Execute("COMMIT"));
  EXPECT_EQ(here(), 1);
  EXPECT_EQ(absent(), 0);
  EXPECT_LE(CostOf(here), alone + 32);
  EXPECT_LE(CostOf(absent), none + 16 * 32);
  // Of one without a time the newest is as good as any.
  EXPECT_EQ(LookForImported(Given(0)), 1);
  api::Observation untitled = Given(0);
  untitled.title = "another";
  EXPECT_LE(CostOf([&] { LookForImported(untitled); }), none + 256 * 32);
}

TEST_F(DuplicatesTest, ImportedRowMatchesItsTimeAndPrefersLive) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int64_t slot = 1; slot <= 200; ++slot) {
    Add({slot, "", "project", "note", "", "hash" + std::to_string(random() % 3),
         kMidnight + static_cast<int64_t>(random() % 20)},
        1, random() % 2 == 0);
    if (HasFatalFailure()) return;
  }
  for (int64_t created_ms = kMidnight; created_ms < kMidnight + 20; ++created_ms) {
    for (const char* hash : {"hash0", "hash1", "hash2", "hash3"}) {
      auto all = database_.Prepare(
          "SELECT count(*), count(*) FILTER (WHERE deleted_ms IS NULL) FROM observations "
          "WHERE hash = ?1 AND created_ms = ?2");
      ASSERT_TRUE(*all->Bind(hash).Bind(created_ms).Step());
      api::Observation row = Given(created_ms, hash);
      row.updated_ms += static_cast<int64_t>(random() % 5);  // since then it got other tags
      auto found = FindImported(database_, row, 1, 1, {});
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_EQ(found->has_value(), all->Int(0) > 0) << hash << created_ms;
      if (*found) EXPECT_EQ((*found)->hidden, all->Int(1) == 0) << hash << created_ms;
    }
  }
}

}  // namespace
}  // namespace memory
