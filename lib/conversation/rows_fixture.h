// Test code: a suite over both engines of the seam, for tests of what stands above it.
// INSTANTIATE_TEST_SUITE_P(…, kBothEngines, EngineName).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "lib/conversation/fake_rows_fixture.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/conversation/sqlite/schema.h"
#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace conversation {

// Rows in a file with all tables, those for many owners too. Not in a transaction.
class RowsOnDisk {
 public:
  RowsOnDisk() { Open(); }
  void Open() {
    rows_.reset();
    db_.reset();
    auto db = sqlite::Database::Open(directory_.File("rows.db"), {});
    ASSERT_TRUE(db) << db.error().message;
    db_.emplace(*std::move(db));
    std::string all;  // in one step: a test should not wait for many commits
    for (const char* step : {kSchema, kAgeStep, kChecksumStep, kErrorStep, kSystemStep, kOwnerStep,
                             kBlockStep, kCheckpointStep, kFieldsStep, kLedgerSchema, kTaskStep})
      all += std::string(step) + ";\n";
    const base::Status migrated = sqlite::Migrate(*db_, {all.c_str()});
    ASSERT_TRUE(migrated) << migrated.error().message;
    rows_.emplace(*db_);
  }
  sqlite::Database& database() { return *db_; }
  SqliteRows& rows() { return *rows_; }

 private:
  const testing::TemporaryDirectory directory_;
  std::optional<sqlite::Database> db_;
  std::optional<SqliteRows> rows_;
};

enum class Engine { kSqlite, kFake };
inline const auto kBothEngines = testing::Values(Engine::kSqlite, Engine::kFake);
inline std::string EngineName(const testing::TestParamInfo<Engine>& info) {
  return info.param == Engine::kFake ? "Fake" : "Sqlite";
}

class RowsTest : public testing::TestWithParam<Engine> {
 protected:
  RowsTest() {
    if (GetParam() == Engine::kSqlite) disk_.emplace();
  }
  Rows& rows() { return disk_ ? static_cast<Rows&>(disk_->rows()) : fake_; }
  sqlite::Database& database() { return disk_->database(); }  // not of the fake
  void Reopen() {
    if (disk_) disk_->Open();
  }
  // In one transaction, for many writes.
  template <class Work>
  void Together(const Work& work) {
    ASSERT_TRUE(!disk_ || database().Execute("BEGIN"));
    work();
    ASSERT_TRUE(!disk_ || database().Execute("COMMIT"));
  }

 private:
  FakeRows fake_;
  std::optional<RowsOnDisk> disk_;
};

}  // namespace conversation
