// Test code: a new file with the present tables, for the engine of SQLite under a test of meaning.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {

class MigratedFile {
 public:
  MigratedFile() : database_(Open(directory_.File("rows.db"))) {
    EXPECT_TRUE(sqlite::Migrate(database_, SchemaSteps()));
    EXPECT_TRUE(database_.Execute("PRAGMA synchronous = OFF"));
  }
  sqlite::Database& database() { return database_; }

 private:
  static sqlite::Database Open(const std::string& path) {
    auto opened = sqlite::Database::Open(path, {});
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }
  const testing::TemporaryDirectory directory_;
  sqlite::Database database_;
};

enum class RowEngine { kFake, kSqlite };
inline const auto kRowEngines = ::testing::Values(RowEngine::kFake, RowEngine::kSqlite);
inline constexpr auto kNameOfRowEngine = [](const ::testing::TestParamInfo<RowEngine>& info) {
  return info.param == RowEngine::kFake ? "Fake" : "Sqlite";
};

}  // namespace memory
