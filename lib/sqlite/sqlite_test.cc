// Tests of connections, transactions, migrations and group commit on real files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "lib/base/file.h"
#include "lib/sqlite/database.h"
#include "lib/sqlite/writer.h"

namespace sqlite {
namespace {

using base::Code;
using base::Result;
using base::Status;

std::string NewFile() {
  std::string name = (std::filesystem::temp_directory_path() / "sqlite-XXXXXX").string();
  return std::string(mkdtemp(name.data())) + "/x.db";
}

Database OpenWriter(const std::string& path) {
  auto database = Database::Open(path, {});
  EXPECT_TRUE(database) << database.error().message;
  return std::move(database).value();
}

int64_t Count(Database& database) {
  auto statement = database.Prepare("SELECT count(*) FROM t");
  EXPECT_TRUE(statement) << statement.error().message;
  EXPECT_TRUE(*statement->Step());
  return statement->Int(0);
}

Status Insert(Database& database, int64_t n) {
  ASSIGN_OR_RETURN(Statement insert, database.Prepare("INSERT INTO t(n) VALUES(?)"));
  return insert.Bind(n).Run();
}

TEST(Database, IsPrivateAndKeepsEveryByte) {
  std::string path = NewFile();
  Database database = OpenWriter(path);
  struct stat facts {};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n, s)"));
  std::string odd("a\0b\xE6\x97\xA5", 6);
  auto insert = database.Prepare("INSERT INTO t VALUES(?, ?)");
  ASSERT_TRUE(insert->Bind(int64_t{1} << 60).Bind(std::string_view(odd)).Run());
  auto read = database.Prepare("SELECT n, s, NULL FROM t");
  ASSERT_TRUE(*read->Step());
  EXPECT_EQ(read->Int(0), int64_t{1} << 60);
  EXPECT_EQ(read->Text(1), odd);
  EXPECT_EQ(read->OptionalText(2), std::nullopt);
}

TEST(Database, ReadersCannotWrite) {
  std::string path = NewFile();
  Database writer = OpenWriter(path);
  ASSERT_TRUE(writer.Execute("CREATE TABLE t(n)"));
  auto reader = Database::Open(path, {.access = Access::kReader});
  ASSERT_TRUE(reader);
  EXPECT_FALSE(Insert(*reader, 1));
  ASSERT_TRUE(Insert(writer, 1));
  EXPECT_EQ(Count(*reader), 1);
}

TEST(Database, ErrorsCarryCodes) {
  Database database = OpenWriter(NewFile());
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n UNIQUE)"));
  ASSERT_TRUE(Insert(database, 1));
  EXPECT_EQ(Insert(database, 1).error().code, Code::kConflict);
  EXPECT_FALSE(database.Prepare("SELECT nope FROM t"));
  EXPECT_FALSE(Database::Open("/nonexistent/x.db", {}));
}

TEST(Database, LongReadsEndAtTheirDeadline) {
  Database database = OpenWriter(NewFile());
  database.SetDeadline(20);
  auto endless = database.Prepare(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c");
  auto row = endless->Step();
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, Code::kTimeout);
}

TEST(Database, IntegrityCheckSeesAStaleIndex) {
  Database database = OpenWriter(NewFile());
  ASSERT_TRUE(database.Execute(
      "CREATE TABLE t(n INTEGER PRIMARY KEY, s);"
      "CREATE VIRTUAL TABLE f USING fts5(s, content='t', content_rowid='n');"
      "INSERT INTO t VALUES(1, 'alpha'); INSERT INTO f(rowid, s) VALUES(1, 'alpha');"));
  EXPECT_TRUE(database.CheckIntegrity({"f"}));
  ASSERT_TRUE(database.Execute("UPDATE t SET s = 'beta'"));
  EXPECT_FALSE(database.CheckIntegrity({"f"}));
}

TEST(Transaction, RollsBackUnlessCommitted) {
  Database database = OpenWriter(NewFile());
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n)"));
  {
    auto outer = Transaction::Begin(database);
    ASSERT_TRUE(Insert(database, 1));
    {
      auto inner = Transaction::Begin(database);
      ASSERT_TRUE(Insert(database, 2));
    }
    EXPECT_EQ(Count(database), 1);
    ASSERT_TRUE(outer->Commit());
  }
  {
    auto lost = Transaction::Begin(database);
    ASSERT_TRUE(Insert(database, 3));
  }
  EXPECT_EQ(Count(database), 1);
}

TEST(Migrate, RunsEachStepOnceAndRefusesNewerFiles) {
  std::string path = NewFile();
  Database database = OpenWriter(path);
  ASSERT_TRUE(Migrate(database, {"CREATE TABLE t(n)"}));
  ASSERT_TRUE(Migrate(database, {"CREATE TABLE t(n)", "INSERT INTO t VALUES(7)"}));
  EXPECT_EQ(Count(database), 1);
  auto refused = Migrate(database, {"CREATE TABLE t(n)"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kConflict);
}

TEST(Migrate, AFailedStepLeavesNothing) {
  Database database = OpenWriter(NewFile());
  EXPECT_FALSE(Migrate(database, {"CREATE TABLE t(n); INSERT INTO nope VALUES(1)"}));
  EXPECT_TRUE(Migrate(database, {"CREATE TABLE t(n)"}));
}

TEST(Writer, CommitsTheWorkOfManyThreads) {
  std::string path = NewFile();
  Database database = OpenWriter(path);
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n)"));
  {
    Writer writer(std::move(database), {});
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 25; ++n)
          EXPECT_TRUE(writer.RunAny([n](Database& db) { return Insert(db, n); }));
      });
    }
  }
  Database again = OpenWriter(path);
  EXPECT_EQ(Count(again), 200);
}

TEST(Writer, OneFailedWorkDoesNotStopTheOthers) {
  std::string path = NewFile();
  Database database = OpenWriter(path);
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n UNIQUE)"));
  Writer writer(std::move(database), {});
  EXPECT_TRUE(writer.RunAny([](Database& db) { return Insert(db, 1); }));
  auto refused = writer.RunAny([](Database& db) -> Status {
    RETURN_IF_ERROR(Insert(db, 2));
    return Insert(db, 1);
  });
  EXPECT_EQ(refused.error().code, Code::kConflict);
  auto count = writer.Run<int64_t>([](Database& db) -> Result<int64_t> { return Count(db); });
  EXPECT_EQ(*count, 1);
  EXPECT_FALSE(writer.Failed());
}

TEST(Writer, RefusesWhenTheQueueIsFullOrItStops) {
  Database database = OpenWriter(NewFile());
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n)"));
  Writer writer(std::move(database), {.queue = 1});
  std::promise<void> started, release;
  std::shared_future<void> gate = release.get_future().share();
  std::jthread first([&] {
    EXPECT_TRUE(writer.RunAny([&](Database&) -> Status {
      started.set_value();
      gate.wait();
      return {};
    }));
  });
  started.get_future().wait();
  std::jthread second([&] { EXPECT_TRUE(writer.RunAny([](Database&) -> Status { return {}; })); });
  while (writer.Queued() < 1) std::this_thread::yield();
  EXPECT_EQ(writer.RunAny([](Database&) -> Status { return {}; }).error().code, Code::kUnavailable);
  release.set_value();
  first.join();
  second.join();
  writer.Stop();
  EXPECT_FALSE(writer.RunAny([](Database&) -> Status { return {}; }));
}

}  // namespace
}  // namespace sqlite
