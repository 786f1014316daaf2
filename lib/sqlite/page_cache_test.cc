// One limit for the page caches of many files: it holds, files in use keep their pages, and no
// dirty page is lost.
#include "lib/sqlite/page_cache.h"

#include <gtest/gtest.h>

#include <future>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

constexpr size_t kMiB = 1 << 20;
constexpr int kRows = 300;                   // a leaf each: more than a reader's cache holds
constexpr size_t kOfAConnection = 12 << 10;  // of a connection without pages

class PageCacheTest : public ::testing::Test {
 protected:
  ~PageCacheTest() override { SetPageCacheLimit(0); }
  std::string Path(int number) const { return directory_.File(std::to_string(number)); }
  Database Open(int number, Access access) {
    auto database = Database::Open(Path(number), {access, 1024});
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  void Make(int number) {
    Database writer = Open(number, Access::kWriter);
    ASSERT_TRUE(writer.Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, bytes BLOB)"));
    auto add = writer.Prepare(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
        "INSERT INTO t SELECT i, randomblob(3000) FROM n");
    ASSERT_TRUE(add && add->Bind(int64_t{kRows}).Run());
  }
  std::vector<Database> Readers(int files) {
    std::vector<Database> readers;
    for (int i = 0; i < files; ++i) {
      Make(i);
      readers.push_back(Open(i, Access::kReader));
    }
    return readers;
  }
  static int64_t Sum(Database& database) {
    auto sum = database.Prepare("SELECT sum(length(bytes)) FROM t");
    return sum && *sum->Step() ? sum->Int(0) : -1;
  }
  static size_t Status(Database& database, int what) {
    int now = 0, highest = 0;
    EXPECT_EQ(sqlite3_db_status(database.handle(), what, &now, &highest, 0), SQLITE_OK);
    return static_cast<size_t>(now);
  }
  static size_t SumOfCaches(std::vector<Database>& databases) {
    size_t sum = 0;
    for (Database& one : databases) sum += Status(one, SQLITE_DBSTATUS_CACHE_USED);
    return sum;
  }
  const testing::TemporaryDirectory directory_;
};

TEST_F(PageCacheTest, ManyFilesShareOneLimit) {
  constexpr int kFiles = 64;
  auto readers = Readers(kFiles);
  SetPageCacheLimit(4 * kMiB);
  for (Database& reader : readers) {
    ASSERT_EQ(Sum(reader), 3000 * kRows);
    ASSERT_LE(PageCacheBytes(), 4 * kMiB);
  }
  const size_t sum = SumOfCaches(readers);
  EXPECT_LE(sum, 4 * kMiB + kFiles * kOfAConnection);
  EXPECT_GE(sum, 3 * kMiB);  // the caches use the limit
}

TEST_F(PageCacheTest, EqualsSqlitesCount) {
  const size_t before = PageCacheBytes();
  {
    auto readers = Readers(4);
    const size_t empty = SumOfCaches(readers);
    const size_t opened = PageCacheBytes();
    for (Database& reader : readers) ASSERT_GT(Sum(reader), 0);
    const double grown = static_cast<double>(SumOfCaches(readers) - empty);
    EXPECT_NEAR(static_cast<double>(PageCacheBytes() - opened) / grown, 1, 0.02);
    EXPECT_GT(grown, 3.0 * kMiB);
  }
  EXPECT_EQ(PageCacheBytes(), before);
}

TEST_F(PageCacheTest, UsedFileKeepsItsPages) {
  constexpr int kFiles = 12;
  auto readers = Readers(kFiles);
  SetPageCacheLimit(4 * kMiB);
  auto first = [&] {
    auto some = readers[0].Prepare("SELECT sum(length(bytes)) FROM t WHERE id <= 100");
    return some && *some->Step() && some->Int(0) == 300'000;
  };
  ASSERT_TRUE(first());
  const size_t misses = Status(readers[0], SQLITE_DBSTATUS_CACHE_MISS);
  for (int round = 0; round < 3; ++round) {
    for (int i = 1; i < kFiles; ++i) {
      ASSERT_EQ(Sum(readers[i]), 3000 * kRows);
      ASSERT_TRUE(first());
    }
  }
  EXPECT_EQ(Status(readers[0], SQLITE_DBSTATUS_CACHE_MISS), misses);
}

TEST_F(PageCacheTest, SmallCacheLosesNothing) {
  SetPageCacheLimit(64 << 10);
  Make(0);
  Database writer = Open(0, Access::kWriter), reader = Open(0, Access::kReader);
  sqlite3* memory = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &memory), SQLITE_OK);
  const char* fill =
      "CREATE TABLE t(b BLOB); INSERT INTO t VALUES(replace(hex(zeroblob(450000)), '0', 'x'))";
  ASSERT_EQ(sqlite3_exec(memory, fill, nullptr, nullptr, nullptr), SQLITE_OK);
  {
    auto change = Transaction::Begin(writer);  // larger than the limit
    ASSERT_TRUE(change && writer.Execute("UPDATE t SET bytes = randomblob(3000)"));
    ASSERT_EQ(Sum(reader), 3000 * kRows);
    ASSERT_TRUE(change->Commit());
  }
  EXPECT_EQ(Sum(reader), 3000 * kRows);
  std::string length;
  auto take = [](void* into, int, char** values, char**) {
    *static_cast<std::string*>(into) = values[0] ? values[0] : "";
    return 0;
  };
  const char* sum = "SELECT sum(length(b || '')) FROM t";
  EXPECT_EQ(sqlite3_exec(memory, sum, take, &length, nullptr), SQLITE_OK);
  EXPECT_EQ(length, "900000");  // an in-memory database does not count
  sqlite3_close(memory);
  EXPECT_TRUE(writer.CheckIntegrity({}));
}

TEST_F(PageCacheTest, ThreadsThatEvictReadCommittedPages) {
  constexpr int kThreads = 4, kRounds = 20;
  auto readers = Readers(kThreads);
  std::vector<Database> writers;
  for (int i = 0; i < kThreads; ++i) writers.push_back(Open(i, Access::kWriter));
  SetPageCacheLimit(kMiB);
  std::vector<std::future<void>> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.push_back(std::async(std::launch::async, [&, i] {
      for (int round = 1; round <= kRounds; ++round) {
        auto change = Transaction::Begin(writers[i]);
        auto set = writers[i].Prepare("UPDATE t SET bytes = zeroblob(?1) WHERE id % 7 = ?2");
        EXPECT_TRUE(change && set && set->Bind(int64_t{round}).Bind(int64_t{round % 7}).Run());
        EXPECT_TRUE(change->Commit());
        auto now = readers[i].Prepare(
            "SELECT min(length(bytes)), max(length(bytes)), count(*) "
            "FROM t WHERE id % 7 = ?1");
        ASSERT_TRUE(now && *now->Bind(int64_t{round % 7}).Step());
        EXPECT_EQ(now->Int(0), round);
        EXPECT_EQ(now->Int(1), round);
      }
      EXPECT_TRUE(writers[i].CheckIntegrity({}));
    }));
  }
  for (auto& thread : threads) thread.get();
  readers.clear();
  writers.clear();
}

}  // namespace
}  // namespace sqlite
