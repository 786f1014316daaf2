// Tests of connections, transactions, migrations and group commit on real files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <thread>

#include "lib/base/process/file.h"
#include "lib/sqlite/database.h"
#include "lib/sqlite/writer.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

using base::Code;
using base::Result;
using base::Status;

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
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
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
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  Database writer = OpenWriter(path);
  ASSERT_TRUE(writer.Execute("CREATE TABLE t(n)"));
  auto reader = Database::Open(path, {.access = Access::kReader});
  ASSERT_TRUE(reader);
  EXPECT_FALSE(Insert(*reader, 1));
  ASSERT_TRUE(Insert(writer, 1));
  EXPECT_EQ(Count(*reader), 1);
}

TEST(Database, ReadersCannotCheckpointOrBecomeWriters) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  Database writer = OpenWriter(path);
  ASSERT_TRUE(writer.Execute("CREATE TABLE t(n)"));
  auto reader = Database::Open(path, {.access = Access::kReader});
  ASSERT_TRUE(reader);
  for (const char* refused :
       {"PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_autocheckpoint=1",
        "PRAGMA query_only=OFF", "PRAGMA journal_mode=DELETE", "PRAGMA user_version=9",
        "DELETE FROM t", "CREATE TABLE u(n)"}) {
    EXPECT_FALSE(reader->Execute(refused)) << refused;
  }
  EXPECT_EQ(Count(*reader), 0);
}

TEST(Database, OneConnectionWritesAFile) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  {
    Database writer = OpenWriter(path);
    std::filesystem::create_symlink(path, path + "-also");
    for (const std::string& name : {path, path + "-also"}) {
      auto second = Database::Open(name, {});
      ASSERT_FALSE(second);
      EXPECT_EQ(second.error().code, Code::kConflict);
    }
    EXPECT_TRUE(Database::Open(path, {.access = Access::kReader}));
  }
  OpenWriter(path);  // after the first writer ended
}

TEST(Database, WriterCheckpointsThePreviousLog) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db"), copy = path + ".copy";
  Database before = OpenWriter(path);
  ASSERT_TRUE(before.Execute("CREATE TABLE t(n); INSERT INTO t VALUES(1)"));
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0u);
  for (const char* part : {"", "-wal"}) std::filesystem::copy(path + part, copy + part);  // a crash
  Database after = OpenWriter(copy);
  EXPECT_EQ(std::filesystem::file_size(copy + "-wal"), 0u);
  EXPECT_EQ(Count(after), 1);
}

TEST(Database, ReportsBytesFreedByDeletes) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n); INSERT INTO t VALUES(zeroblob(100000))"));
  EXPECT_EQ(*database.ReusableBytes(), 0);
  ASSERT_TRUE(database.Execute("DELETE FROM t"));
  EXPECT_GE(*database.ReusableBytes(), 90'000);
}

TEST(Database, ErrorsCarryCodes) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n UNIQUE)"));
  ASSERT_TRUE(Insert(database, 1));
  EXPECT_EQ(Insert(database, 1).error().code, Code::kConflict);
  EXPECT_FALSE(database.Prepare("SELECT nope FROM t"));
  EXPECT_FALSE(Database::Open("/nonexistent/x.db", {}));
}

TEST(Database, LongReadsEndAtTheirDeadline) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  database.SetDeadline(20);
  auto endless = database.Prepare(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c");
  auto row = endless->Step();
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, Code::kTimeout);
}

TEST(Database, IntegrityCheckSeesAStaleIndex) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  ASSERT_TRUE(database.Execute(
      "CREATE TABLE t(n INTEGER PRIMARY KEY, s);"
      "CREATE VIRTUAL TABLE f USING fts5(s, content='t', content_rowid='n');"
      "INSERT INTO t VALUES(1, 'alpha'); INSERT INTO f(rowid, s) VALUES(1, 'alpha');"));
  EXPECT_TRUE(database.CheckIntegrity({"f"}));
  ASSERT_TRUE(database.Execute("UPDATE t SET s = 'beta'"));
  EXPECT_FALSE(database.CheckIntegrity({"f"}));
}

TEST(Transaction, RollsBackUnlessCommitted) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
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
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  Database database = OpenWriter(path);
  ASSERT_TRUE(Migrate(database, {"CREATE TABLE t(n)"}));
  ASSERT_TRUE(Migrate(database, {"CREATE TABLE t(n)", "INSERT INTO t VALUES(7)"}));
  EXPECT_EQ(Count(database), 1);
  auto refused = Migrate(database, {"CREATE TABLE t(n)"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
}

TEST(Migrate, FailedStepChangesNothing) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  EXPECT_FALSE(Migrate(database, {"CREATE TABLE t(n); INSERT INTO nope VALUES(1)"}));
  EXPECT_TRUE(Migrate(database, {"CREATE TABLE t(n)"}));
}

TEST(Writer, CommitsTheWorkOfManyThreads) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
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

TEST(Writer, FailedWorkDoesNotStopOthers) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
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

TEST(Writer, CheckpointsWhenTheLogIsLong) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  Database database = OpenWriter(path);
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n)"));
  Writer writer(std::move(database), {.checkpoint_pages = 4});
  const auto before = std::filesystem::file_size(path);
  for (int n = 0; n < 20; ++n)
    EXPECT_TRUE(writer.RunAny([n](Database& db) { return Insert(db, n); }));
  EXPECT_GT(std::filesystem::file_size(path), before);
}

// max_page_count stands in for a full volume.
TEST(Writer, FullDiskAdmitsOnlyWorkThatFreesSpace) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  ASSERT_TRUE(
      database.Execute("CREATE TABLE t(n); INSERT INTO t VALUES(zeroblob(40000));"
                       "CREATE TABLE marks(n); PRAGMA max_page_count=16"));
  int full = 0;
  Writer::Options options;
  options.on_full = [&] { ++full; };
  Writer writer(std::move(database), options);
  auto grow = [](Database& db) { return db.Execute("INSERT INTO t VALUES(zeroblob(400000))"); };
  EXPECT_EQ(writer.RunAny(grow).error().code, Code::kFull);
  EXPECT_EQ(full, 1);
  // A full disk rolls back the first try of a delete; the second has space.
  int tries = 0;
  EXPECT_TRUE(writer.RunAny(
      [&](Database& db) -> Status {
        RETURN_IF_ERROR(db.Execute("INSERT INTO marks VALUES(1)"));
        if (++tries == 1) return db.Execute("INSERT INTO t VALUES(zeroblob(400000))");
        return db.Execute("DELETE FROM t");
      },
      Writer::Space::kFrees));
  EXPECT_EQ(full, 2);
  EXPECT_EQ(tries, 2);
  auto marks = writer.Run<int64_t>([](Database& db) -> Result<int64_t> {
    ASSIGN_OR_RETURN(Statement read, db.Prepare("SELECT count(*) FROM marks"));
    RETURN_IF_ERROR(read.Step());
    return read.Int(0);
  });
  EXPECT_EQ(*marks, 1);
  EXPECT_FALSE(writer.Failed());
}

// A full queue or quota does not mean a full disk.
TEST(Writer, RefusalOfWorkIsNoFullDisk) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  int full = 0;
  Writer::Options options;
  options.on_full = [&] { ++full; };
  Writer writer(std::move(database), options);
  const auto refused = writer.RunAny([](Database&) -> Status {
    return base::Error{Code::kFull, "the outbox"};
  });
  EXPECT_EQ(refused.error().code, Code::kFull);
  EXPECT_EQ(full, 0);
}

TEST(Writer, AfterCommitWorkDelaysNoAnswer) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  Database database = OpenWriter(path);
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n)"));
  std::promise<void> go;
  int followed = 0;
  Writer::Options options;
  options.after_commit = [&, gate = go.get_future().share()](Database& db) -> Status {
    gate.wait();
    RETURN_IF_ERROR(Insert(db, 100 + ++followed));
    return base::Error{Code::kInternal, "it does not work"};
  };
  {
    Writer writer(std::move(database), options);
    EXPECT_TRUE(writer.RunAny([](Database& db) { return Insert(db, 1); })) << "it waits for go";
    go.set_value();
    EXPECT_TRUE(writer.RunAny([](Database& db) { return Insert(db, 2); }));
    writer.Stop();
    EXPECT_EQ(followed, 1) << "it waits before it is tried again";
    EXPECT_FALSE(writer.Failed());
  }
  Database again = OpenWriter(path);
  EXPECT_EQ(Count(again), 2);
}

TEST(Writer, AfterCommitWorkWaitsUntilThereIsSome) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n)"));
  int answered = 0, followed = 0;
  Writer::Options options;
  options.answered = [&] { return ++answered == 2; };
  options.after_commit = [&](Database&) -> Status {
    ++followed;
    return {};
  };
  Writer writer(std::move(database), options);
  for (int n = 1; n <= 3; ++n)
    EXPECT_TRUE(writer.RunAny([n](Database& db) { return Insert(db, n); }));
  writer.Stop();
  EXPECT_EQ(answered, 3);
  EXPECT_EQ(followed, 1);
}

// An FTS5 index without one of its shadow tables refuses the end of a savepoint.
TEST(Writer, FailedRollbackOfOneWorkEndsNoProcess) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  ASSERT_TRUE(OpenWriter(path).Execute("CREATE TABLE t(n); CREATE VIRTUAL TABLE f USING fts5(x)"));
  {
    auto file = Database::Open(path, {.access = Access::kScratch});
    ASSERT_TRUE(file) << file.error().message;
    const Status dropped = file->Execute("DROP TABLE f_idx");
    ASSERT_TRUE(dropped) << dropped.error().message;
  }
  Writer writer(OpenWriter(path), {});
  EXPECT_FALSE(writer.RunAny([](Database& db) -> Status {
    RETURN_IF_ERROR(db.Execute("INSERT INTO f VALUES('a')"));
    return base::Error{Code::kInvalid, "no"};
  }));
  EXPECT_TRUE(writer.RunAny([](Database& db) { return Insert(db, 1); }));
  EXPECT_FALSE(writer.Failed());
}

TEST(Writer, AsksBeforeWorkThatConsumesSpace) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
  ASSERT_TRUE(database.Execute("CREATE TABLE t(n)"));
  Writer::Options options;
  options.admit = [](int64_t) { return Status(base::Error{Code::kFull, "no space"}); };
  Writer writer(std::move(database), options);
  auto insert = [](Database& db) { return Insert(db, 1); };
  EXPECT_EQ(writer.RunAny(insert).error().code, Code::kFull);
  EXPECT_TRUE(writer.RunAny(insert, Writer::Space::kFrees));
}

TEST(Writer, RefusesWhenTheQueueIsFullOrItStops) {
  const testing::TemporaryDirectory directory;
  Database database = OpenWriter(directory.File("x.db"));
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
