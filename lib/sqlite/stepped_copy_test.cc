// A copy in steps while its source is written.
#include "lib/sqlite/stepped_copy.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

int64_t Count(Database& database, const char* sql) {
  auto read = database.Prepare(sql);
  EXPECT_TRUE(read && *read->Step());
  return read->Int(0);
}

TEST(SteppedCopy, HasWritesMadeDuringTheCopy) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  auto from = Database::Open(path, {});
  ASSERT_TRUE(from && from->Execute("CREATE TABLE t(n, b)"));
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(from->Execute("INSERT INTO t VALUES(1, zeroblob(8000))"));
  {
    std::ofstream(path + ".copy").flush();
    auto to = Database::Open(path + ".copy", {Access::kScratch});
    ASSERT_TRUE(to) << to.error().message;
    auto copy = SteppedCopy::Begin(*from, *to);
    ASSERT_TRUE(copy);
    int steps = 0;
    for (bool done = false; !done; ++steps) {
      ASSERT_TRUE(from->Execute("UPDATE t SET n = n + 1; INSERT INTO t VALUES(1, 'new')"));
      ASSERT_TRUE(from->Checkpoint(Database::Log::kEmpty)) << "nobody holds the log";
      auto step = copy->Step(16);
      ASSERT_TRUE(step) << step.error().message;
      done = *step;
    }
    EXPECT_GT(steps, 5);
  }
  auto copy = Database::Open(path + ".copy", {Access::kScratch});
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_TRUE(copy->CheckIntegrity({}));
  for (const char* sql : {"SELECT count(*) FROM t", "SELECT sum(n) FROM t"})
    EXPECT_EQ(Count(*copy, sql), Count(*from, sql));
}

}  // namespace
}  // namespace sqlite
