// A row and its vector are written atomically: a kill at any statement leaves both or neither.
#include "memory/sqlite/tables/vectors.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

constexpr int kDied = 137;

int64_t CountOf(sqlite::Database& database, const char* sql) {
  auto read = database.Prepare(sql);
  EXPECT_TRUE(read) << read.error().message;
  auto row = read->Step();
  return row && *row ? read->Int(0) : -1;
}

base::Status WriteRow(sqlite::Database& database) {
  ASSIGN_OR_RETURN(sqlite::Transaction transaction, sqlite::Transaction::Begin(database));
  ASSIGN_OR_RETURN(const Location location, FindOrAddLocation(database, "s", "p", kMidnight));
  api::Observation row;
  row.project = "p";
  row.scope = "project";
  row.type = "discovery";
  row.title = "t";
  row.content = "a car";
  row.normalized_hash = "h";
  TextFacts facts = FactsOf(row.title, row.content);
  facts.model = 1;
  facts.vector = {1, 2, 3};
  ASSIGN_OR_RETURN([[maybe_unused]] int64_t id, InsertRow(database, row, facts, location));
  return transaction.Commit();
}

// In a process that dies before statement `number` → its exit code.
int WriteAndDie(const std::string& path, int number) {
  const pid_t child = fork();
  if (child == 0) {
    auto database = sqlite::Database::Open(path, {});
    if (!database) _exit(1);
    sqlite3_trace_v2(
        database->handle(), SQLITE_TRACE_STMT,
        [](unsigned, void* left, void*, void*) -> int {
          if (--*static_cast<int*>(left) <= 0) _exit(kDied);
          return 0;
        },
        &number);
    _exit(WriteRow(*database) ? 0 : 2);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(VectorsTable, RowAndVectorAreWrittenAtomically) {
  const testing::TemporaryDirectory scratch;
  int code = kDied;
  for (int number = 1; code != 0; ++number) {
    SCOPED_TRACE(number);
    ASSERT_LT(number, 1000);
    const std::string path = scratch.File("file" + std::to_string(number));
    {
      auto database = sqlite::Database::Open(path, {});
      ASSERT_TRUE(database) << database.error().message;
      ASSERT_TRUE(sqlite::Migrate(*database, SchemaSteps()));
    }
    code = WriteAndDie(path, number);
    ASSERT_TRUE(code == 0 || code == kDied) << code;
    auto database = sqlite::Database::Open(path, {});
    ASSERT_TRUE(database) << database.error().message;
    const int64_t rows = CountOf(*database, "SELECT count(*) FROM observations");
    EXPECT_EQ(rows, code == 0 ? 1 : 0);
    EXPECT_EQ(CountOf(*database, "SELECT count(*) FROM vectors"), rows);
  }
}

TEST(VectorsTable, BackgroundFillSkipsTextsChangedMeanwhile) {
  const testing::TemporaryDirectory scratch;
  auto database = sqlite::Database::Open(scratch.File("file"), {});
  ASSERT_TRUE(database) << database.error().message;
  ASSERT_TRUE(sqlite::Migrate(*database, SchemaSteps()));
  ASSERT_TRUE(WriteRow(*database));
  constexpr int64_t kOtherModel = 2;
  const auto page = FindVectorless(*database, kOtherModel, -1);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->rows.size(), 1u);
  TextFacts facts;
  facts.model = kOtherModel;
  facts.vector = {4, 5, 6};
  ASSERT_TRUE(database->Execute("UPDATE observations SET revision_count = 2"));
  ASSERT_TRUE(FillVector(*database, page->rows[0], facts));
  EXPECT_EQ(CountOf(*database, "SELECT count(*) FROM vectors WHERE model = 2"), 0);
  ASSERT_TRUE(database->Execute("UPDATE observations SET revision_count = 1"));
  ASSERT_TRUE(FillVector(*database, page->rows[0], facts));
  EXPECT_EQ(CountOf(*database, "SELECT count(*) FROM vectors WHERE model = 2"), 1);
}

}  // namespace
}  // namespace memory
