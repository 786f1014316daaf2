// The log of deletions: with retention, files of earlier versions, and many deletions.
#include "memory/sqlite/removal/deletions.h"

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/keeping/deletions.h"
#include "memory/sqlite/store/damage_fixture.h"
#include "memory/sqlite/store/retention_fixture.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {
namespace {

class DeletionsTest : public RetentionTest {
 protected:
  // As an export has it: before it is deleted.
  ExportedRow Exported(int64_t id) {
    auto row = store_->Get(id);
    EXPECT_TRUE(row) << row.error().message;
    return {row ? *row : api::Observation(), {}};
  }
  Imported::Outcome MustImport(const ExportedRow& row) {
    auto outcomes = store_->Import({row}, {});
    EXPECT_TRUE(outcomes && outcomes->size() == 1 && outcomes->front());
    return outcomes->front()->outcome;
  }
  void MustDelete(int64_t id, bool hard = false) {
    auto deleted = store_->Delete(id, hard, clock_.NowMs());
    ASSERT_TRUE(deleted) << deleted.error().message;
  }
  void TamperWith(const char* sql) {
    store_.reset();
    Tamper(scratch_.File("kept"), sql);
    Start();
  }
};

TEST_F(DeletionsTest, SoftDeletionIsRememberedAfterThePurge) {
  const ExportedRow row = Exported(Save("hidden"));
  MustDelete(1);
  clock_.Advance(3 * kDay);
  EXPECT_EQ(MustSweep().purged, 1);
  EXPECT_EQ(InFile("SELECT count(*) FROM observations"), 0);
  EXPECT_EQ(MustImport(row), Imported::kSkippedDeleted);
}

TEST_F(DeletionsTest, ExpiredRowCanBeImportedAgain) {
  const ExportedRow row = Exported(Save("over"));
  SetRules("p", R"([{"ttl": "1h"}])");
  clock_.Advance(kHour);
  EXPECT_EQ(MustSweep().lapsed, 1);
  EXPECT_EQ(MustImport(row), Imported::kNew);
  EXPECT_EQ(MustSweep().lapsed, 1);
  clock_.Advance(3 * kDay);
  EXPECT_EQ(MustSweep().purged, 1);
  EXPECT_EQ(MustImport(row), Imported::kNew);
}

TEST_F(DeletionsTest, DeletionOfAnExpiredRowIsRemembered) {
  const ExportedRow row = Exported(Save("over"));
  SetRules("p", R"([{"ttl": "1h"}])");
  clock_.Advance(kHour);
  EXPECT_EQ(MustSweep().lapsed, 1);
  MustDelete(1);
  EXPECT_EQ(MustImport(row), Imported::kSkippedDeleted);
}

TEST_F(DeletionsTest, SoftDeletionOfAnEarlierVersionCounts) {
  const ExportedRow row = Exported(Save("hidden"));
  MustDelete(1);
  TamperWith("DELETE FROM deletions");
  EXPECT_EQ(MustImport(row), Imported::kSkippedDeleted);
  clock_.Advance(3 * kDay);
  EXPECT_EQ(MustSweep().purged, 1);
  EXPECT_EQ(MustImport(row), Imported::kSkippedDeleted);
}

TEST_F(DeletionsTest, RepeatedDeleteIsRecordedOnce) {
  Save("said");
  MustDelete(1);
  MustDelete(1);
  MustDelete(1, true);
  MustDelete(1, true);
  EXPECT_EQ(InFile("SELECT count(*) FROM deletions"), 1);
  ExpectSound();
}

TEST_F(DeletionsTest, OldestDeletionsAreDroppedFirst) {
  const ExportedRow oldest = Exported(Save("the oldest")), next = Exported(Save("the next"));
  MustDelete(1, true);
  MustDelete(2, true);
  static_assert(kMostDeletions == 100'000);
  TamperWith("INSERT INTO deletions VALUES(100000, 1, 1, 1, NULL)");
  EXPECT_EQ(MustImport(oldest), Imported::kSkippedDeleted);
  MustDelete(Save("one more"), true);
  EXPECT_EQ(MustImport(oldest), Imported::kNew);
  EXPECT_EQ(MustImport(next), Imported::kSkippedDeleted);
}

TEST_F(DeletionsTest, DeletionsStoreSaltedDigestsOnly) {
  Save("zyxwvsecret");
  MustDelete(1, true);
  EXPECT_EQ(InFile("SELECT count(*) FROM deletions WHERE typeof(place) <> 'integer' OR "
                   "typeof(text) <> 'integer' OR typeof(created_ms) <> 'integer'"),
            0);
  const int64_t digest = InFile("SELECT text FROM deletions");
  // Another file has another salt, and with it another digest of the same text.
  store_.reset();
  scratch_.Remove("kept");
  Start();
  Save("zyxwvsecret");
  MustDelete(1, true);
  EXPECT_NE(InFile("SELECT text FROM deletions"), digest);
}

class DeletionsCostTest : public ::testing::Test {
 protected:
  DeletionsCostTest() : database_(std::move(*sqlite::Database::Open(scratch_.File("file"), {}))) {
    EXPECT_TRUE(sqlite::Migrate(database_, SchemaSteps()));
  }
  // Instructions of SQLite's machine that it takes.
  template <class Work>
  int Cost(const Work& work) {
    EXPECT_TRUE(work());  // compiled now
    int steps = 0;
    sqlite3_progress_handler(
        database_.handle(), 1, [](void* count) { return ++*static_cast<int*>(count), 0; }, &steps);
    EXPECT_TRUE(work());
    sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
    return steps;
  }
  testing::TemporaryDirectory scratch_;
  sqlite::Database database_;
  SqliteDeletions log_{database_};
};

TEST_F(DeletionsCostTest, CostIsIndependentOfEqualDeletions) {
  ASSERT_TRUE(
      database_.Execute("INSERT INTO deletions VALUES(1, 1, 7, 1, NULL), (2, NULL, 7, 0, NULL)"));
  DeletionDigests row;
  row.text = 7;
  const auto write = [&] { return NoteWriting(log_, 7, {}); };
  const auto ask = [&](int64_t created_ms) {
    row.created_ms = created_ms;
    return [&] { return WasDeleted(log_, "salt", row, {}, {}); };
  };
  const int written = Cost(write), asked = Cost(ask(1)), asked_without_time = Cost(ask(0));
  ASSERT_TRUE(database_.Execute(
      "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) "
      "INSERT INTO deletions SELECT i, iif(i % 2, i, NULL), 7, i, NULL FROM n"));
  EXPECT_LE(Cost(write), written + 16);
  EXPECT_LE(Cost(ask(1)), asked + 16);
  EXPECT_LE(Cost(ask(0)), asked_without_time + 16);
}

}  // namespace
}  // namespace memory
