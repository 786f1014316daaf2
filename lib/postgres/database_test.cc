// Statements and transactions on a server: values, rows, errors and how many round trips they take.
#include "lib/postgres/database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "lib/postgres/server_fixture.h"

namespace postgres {
namespace {

using base::Code;

class DatabaseTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    if (IsSkipped()) return;
    database_ = std::make_unique<Database>(Connect());
    ASSERT_TRUE(
        database_->Execute("CREATE TABLE t(tenant bigint NOT NULL DEFAULT 1, a bigint, r double "
                           "precision, s text, b bytea, PRIMARY KEY(tenant, a));"
                           "CREATE TABLE u(a bigint PRIMARY KEY)"));
  }
  void TearDown() override {
    database_.reset();
    ServerTest::TearDown();
  }
  Statement Prepared(const char* sql) { return std::move(*database_->Prepare(sql)); }
  int64_t Count() { return *Ask(*database_, "SELECT count(*) FROM t"); }

  std::unique_ptr<Database> database_;
};

TEST_F(DatabaseTest, ValuesComeBackWithTheirTypes) {
  const std::string bytes("\0\xff'\\", 4);
  ASSERT_TRUE(Prepared("INSERT INTO t(a, r, s, b) VALUES(?1, ?2, ?3, ?4)")
                  .Bind(int64_t{INT64_MIN})
                  .Bind(0.1)
                  .Bind("Größe 'x'")
                  .BindBlob(bytes)
                  .Run());
  ASSERT_TRUE(Prepared("INSERT INTO t(a, r, s, b) VALUES(?1, ?2, ?3, ?4)")
                  .Bind(int64_t{7})
                  .BindNull()
                  .BindNull()
                  .BindNull()
                  .Run());
  Statement read = Prepared(
      "SELECT a, r, s, b, a < 0, (SELECT sum(a) FROM t WHERE a > 0), avg(a) OVER () FROM t ORDER "
      "BY a");
  ASSERT_TRUE(*read.Step());
  EXPECT_EQ(read.Int(0), INT64_MIN);
  EXPECT_EQ(read.Real(1), 0.1);
  EXPECT_EQ(read.Text(2), "Größe 'x'");
  EXPECT_EQ(read.Text(3), bytes);
  EXPECT_EQ(read.Int(4), 1);  // a truth value
  EXPECT_EQ(read.Int(5), 7);  // numeric
  EXPECT_LT(read.Real(6), -4e18);
  EXPECT_EQ(read.Text(0), "-9223372036854775808");  // converted as SQLite does
  ASSERT_TRUE(*read.Step());
  for (const int column : {1, 2, 3}) EXPECT_TRUE(read.IsNull(column)) << column;
  EXPECT_EQ(read.Text(2), "");
  EXPECT_FALSE(*read.Step());
}

TEST_F(DatabaseTest, RowIsBoundFromAnotherStatementWithItsTypes) {
  ASSERT_TRUE(Prepared("INSERT INTO t(a, r, s, b) VALUES(1, 1.5, 'x', '\\x00')").Run());
  Statement read = Prepared("SELECT 2, r, s, b FROM t WHERE a=1 LIMIT 1");
  ASSERT_TRUE(*read.Step());
  Transaction transaction = std::move(*Transaction::Begin(*database_));
  ASSERT_TRUE(Prepared("INSERT INTO t(a, r, s, b) VALUES(?1, ?2, ?3, ?4)").BindRow(read, 0).Run());
  ASSERT_TRUE(transaction.Commit());
  EXPECT_EQ(*Ask(*database_, "SELECT count(DISTINCT (r, s, b)) FROM t"), 1);
  EXPECT_EQ(Count(), 2);
}

TEST_F(DatabaseTest, ParameterTakesOtherTypesAndNullAfterwards) {
  Statement ask = Prepared("SELECT coalesce(?1, 'none')");
  for (int round = 0; round < 2; ++round) {
    Statement null = Prepared("SELECT coalesce(?1, 'none')");
    ASSERT_TRUE(*null.BindNull().Step());
    EXPECT_EQ(null.Text(0), "none");
    Statement text = Prepared("SELECT coalesce(?1, 'none')");
    ASSERT_TRUE(*text.Bind("some").Step());
    EXPECT_EQ(text.Text(0), "some");
  }
  Statement number = Prepared("SELECT ?1 + 1"), real = Prepared("SELECT ?1 + 1");
  ASSERT_TRUE(*number.Bind(int64_t{1}).Step());
  ASSERT_TRUE(*real.Bind(0.5).Step());
  EXPECT_EQ(number.Int(0), 2);
  EXPECT_EQ(real.Real(0), 1.5);
}

TEST_F(DatabaseTest, StatementsOfOneTextRunInsideOfEachOther) {
  ASSERT_TRUE(database_->Execute("INSERT INTO u SELECT generate_series(1, 50)"));
  int pairs = 0;
  Statement outer = Prepared("SELECT a FROM u ORDER BY a");
  ASSERT_TRUE(outer.ForEachRow([&](const Statement& row) -> base::Status {
    Statement inner = Prepared("SELECT a FROM u ORDER BY a");
    return inner.ForEachRow([&](const Statement& other) { pairs += other.Int(0) <= row.Int(0); });
  }));
  EXPECT_EQ(pairs, 50 * 51 / 2);
  // The first rows of a long result suffice, and the next statement does not see the others.
  Statement first = Prepared("SELECT generate_series(1, 100000)");
  ASSERT_TRUE(*first.Step());
  EXPECT_EQ(*Ask(*database_, "SELECT 5"), 5);
  ASSERT_TRUE(*first.Step());
  EXPECT_EQ(first.Int(0), 2);
}

TEST_F(DatabaseTest, ErrorsHaveTheCodesOfTheSeam) {
  ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
  const base::Status twice = Do(*database_, "INSERT INTO t(a, s) VALUES(1, 's3cret')");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Code::kConflict) << twice.error().message;
  EXPECT_EQ(twice.error().message.find("s3cret"), std::string::npos);
  EXPECT_EQ(Prepared("SELECT ?1").Bind("\xff").Step().error().code, Code::kInvalid);
  EXPECT_EQ(Do(*database_, "SELECT nothing").error().code, Code::kInternal);
  EXPECT_EQ(Do(*database_, "SELECT now()").error().code,
            Code::kInternal);  // a type that is not read
  EXPECT_EQ(Do(*database_, "SELECT 1/0").error().code, Code::kInternal);
  EXPECT_EQ(*Ask(*database_, "SELECT 1"), 1);
  EXPECT_FALSE(database_->Broken());
}

TEST_F(DatabaseTest, ConflictTakesTheTenantIntoTheKey) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        Prepared("INSERT INTO t(a, r) VALUES(?1, 1) ON CONFLICT(a) DO UPDATE SET r = t.r + 1")
            .Bind(int64_t{1})
            .Run());
    EXPECT_EQ(database_->Changes(), 1);
  }
  EXPECT_EQ(*Ask(*database_, "SELECT CAST(r AS bigint) FROM t"), 2);
}

TEST_F(DatabaseTest, NestedTransactionRollsBackAlone) {
  {
    Transaction outer = std::move(*Transaction::Begin(*database_));
    ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
    {
      Transaction inner = std::move(*Transaction::Begin(*database_));
      ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(2)"));
    }
    {
      Transaction inner = std::move(*Transaction::Begin(*database_));
      ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(3)"));
      ASSERT_TRUE(inner.Commit());
    }
    ASSERT_TRUE(outer.Commit());
  }
  EXPECT_EQ(*Ask(*database_, "SELECT sum(a) FROM t"), 4);
  {
    Transaction undone = std::move(*Transaction::Begin(*database_));
    ASSERT_TRUE(Do(*database_, "DELETE FROM t"));
  }
  EXPECT_EQ(Count(), 2);
}

TEST_F(DatabaseTest, LateErrorSurfacesAtTheEndOfItsSavepointAndSparesTheOuterOne) {
  Transaction outer = std::move(*Transaction::Begin(*database_));
  ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
  {
    Transaction inner = std::move(*Transaction::Begin(*database_));
    EXPECT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));  // joins the flight
    EXPECT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(5)"));
    const base::Status late = inner.Commit();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::kConflict);
  }
  {
    Transaction inner = std::move(*Transaction::Begin(*database_));
    EXPECT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
    EXPECT_EQ(Ask(*database_, "SELECT 1").error().code, Code::kConflict);  // at the next result
    EXPECT_EQ(Ask(*database_, "SELECT 1").error().code, Code::kConflict);  // and until it is undone
  }
  {
    Transaction inner = std::move(*Transaction::Begin(*database_));
    EXPECT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
  }  // undone before anybody waited
  ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(2)"));
  ASSERT_TRUE(outer.Commit());
  EXPECT_EQ(*Ask(*database_, "SELECT sum(a) FROM t"), 3);
}

TEST_F(DatabaseTest, ErrorOfTheOuterTransactionIsNotUndoneByAnInnerOne) {
  ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
  {
    Transaction outer = std::move(*Transaction::Begin(*database_));
    EXPECT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
    {
      Transaction inner = std::move(*Transaction::Begin(*database_));
      EXPECT_EQ(Ask(*database_, "SELECT 1").error().code, Code::kConflict);
    }
    EXPECT_EQ(Ask(*database_, "SELECT 1").error().code, Code::kConflict);
    EXPECT_EQ(outer.Commit().error().code, Code::kConflict);
  }
  EXPECT_EQ(Count(), 1);
  // Nothing of it stays for the next transaction.
  Transaction next = std::move(*Transaction::Begin(*database_));
  ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(2)"));
  ASSERT_TRUE(next.Commit());
  EXPECT_EQ(Count(), 2);
}

TEST_F(DatabaseTest, LateErrorAtCommitKeepsNothing) {
  ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
  {
    Transaction transaction = std::move(*Transaction::Begin(*database_));
    EXPECT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(9)"));
    EXPECT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1)"));
    const base::Status late = transaction.Commit();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::kConflict);
    EXPECT_FALSE(database_->CommitUnknown());
  }
  EXPECT_EQ(Count(), 1);
}

TEST_F(DatabaseTest, ReadingTransactionSeesOneStateAndChangesNothing) {
  Database other = Connect();
  database_->Use({.writing = false,
                  .settings = {{"agent_memory.tenant", "7"}},
                  .lock = "",
                  .lock_values = {}});
  Transaction reading = std::move(*Transaction::Begin(*database_));
  EXPECT_EQ(Count(), 0);
  ASSERT_TRUE(Do(other, "INSERT INTO t(a) VALUES(1)"));
  EXPECT_EQ(Count(), 0);
  EXPECT_EQ(*Ask(*database_, "SELECT CAST(current_setting('agent_memory.tenant') AS bigint)"), 7);
  ASSERT_TRUE(reading.Commit());
  EXPECT_EQ(Count(), 1);
  const base::Status refused = Do(*database_, "INSERT INTO t(a) VALUES(2)");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  // A statement outside of a transaction has the settings too, and leaves none behind.
  EXPECT_EQ(*Ask(*database_, "SELECT CAST(current_setting('agent_memory.tenant') AS bigint)"), 7);
  database_->Use({});
  EXPECT_EQ(*Ask(*database_, "SELECT length(current_setting('agent_memory.tenant', true))"), 0);
}

TEST_F(DatabaseTest, BeginSettingsAndLockTravelWithTheFirstStatement) {
  ASSERT_TRUE(Do(*database_, "INSERT INTO u VALUES(1)"));
  database_->Use({.writing = true,
                  .settings = {{"agent_memory.tenant", "1"}, {"agent_memory.now", "2"}},
                  .lock = "SELECT a FROM u WHERE a = CAST($1 AS bigint) FOR UPDATE",
                  .lock_values = {"1"}});
  const auto flights = [&](auto&& run) {
    const int64_t before = database_->Flights();
    run();
    return database_->Flights() - before;
  };
  EXPECT_EQ(flights([&] {
              Transaction transaction = std::move(*Transaction::Begin(*database_));
              EXPECT_EQ(Count(), 0);
              for (int64_t i = 0; i < 100; ++i)
                ASSERT_TRUE(Prepared("INSERT INTO t(a) VALUES(?1)").Bind(i).Run());
              ASSERT_TRUE(transaction.Commit());
            }),
            2);  // the first read, and COMMIT with all that was written
  EXPECT_EQ(flights([&] {
              Transaction transaction = std::move(*Transaction::Begin(*database_));
              ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1000)"));
              ASSERT_TRUE(transaction.Commit());
            }),
            2);  // the lock is waited for before COMMIT, which nothing may cancel
  database_->Use({.writing = false,
                  .settings = {{"agent_memory.tenant", "1"}},
                  .lock = "",
                  .lock_values = {}});
  EXPECT_EQ(flights([&] {
              Transaction transaction = std::move(*Transaction::Begin(*database_));
              EXPECT_EQ(Count(), 101);
              ASSERT_TRUE(transaction.Commit());
            }),
            1);
}

TEST_F(DatabaseTest, ReadsThatAreSentShareARoundTrip) {
  ASSERT_TRUE(Do(*database_, "INSERT INTO t(a) VALUES(1), (2), (3)"));
  Transaction transaction = std::move(*Transaction::Begin(*database_));
  const int64_t before = database_->Flights();
  Statement one = Prepared("SELECT a FROM t WHERE a = ?1"),
            all = Prepared("SELECT count(*) FROM t");
  Statement unread = Prepared("SELECT max(a) FROM t");
  one.Bind(int64_t{2}).Send();
  all.Send();
  unread.Send();
  ASSERT_TRUE(*all.Step());
  EXPECT_EQ(all.Int(0), 3);
  ASSERT_TRUE(*one.Step());
  EXPECT_EQ(one.Int(0), 2);
  EXPECT_FALSE(*one.Step());
  EXPECT_EQ(database_->Flights() - before, 1);
  Statement wrong = Prepared("SELECT 1 / (a - a) FROM t");
  wrong.Send();
  EXPECT_FALSE(wrong.Step());
}

TEST_F(DatabaseTest, StatementIsPreparedAgainAfterItsTableChanged) {
  const char* all = "SELECT * FROM u LIMIT 9";
  ASSERT_TRUE(Do(*database_, "INSERT INTO u VALUES(7)"));
  ASSERT_EQ(*Ask(*database_, all), 7);
  Database other = Connect();
  ASSERT_TRUE(other.Execute("ALTER TABLE u ADD b bigint"));
  const auto outdated = Ask(*database_, all);
  ASSERT_FALSE(outdated);
  EXPECT_EQ(outdated.error().code, Code::kUnavailable);
  EXPECT_EQ(*Ask(*database_, all), 7);
  ASSERT_TRUE(database_->Execute("DEALLOCATE ALL"));
  EXPECT_FALSE(Ask(*database_, all));
  EXPECT_EQ(*Ask(*database_, all), 7);
}

TEST_F(DatabaseTest, LongResultNeedsNoMemoryOfItsSize) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps freed memory";
#endif
  const auto resident = [] {
    std::ifstream pages("/proc/self/statm");
    int64_t all = 0, mine = 0;
    pages >> all >> mine;
    return mine * 4096;
  };
  const int64_t before = resident();
  int64_t bytes = 0, most = 0;
  Statement rows = Prepared("SELECT repeat('x', 2000) FROM generate_series(1, 100000)");
  ASSERT_TRUE(rows.ForEachRow([&](const Statement& row) {
    bytes += static_cast<int64_t>(row.Text(0).size());
    if (bytes % 20'000'000 == 0) most = std::max(most, resident() - before);
  }));
  EXPECT_EQ(bytes, 200'000'000);
  EXPECT_LT(most, 20'000'000);
}

TEST_F(DatabaseTest, ManyTextsAreForgottenTogether) {
  for (int i = 0; i < 1500; ++i) ASSERT_EQ(*Ask(*database_, "SELECT " + std::to_string(i)), i);
  EXPECT_LE(*Ask(*database_, "SELECT count(*) FROM pg_prepared_statements"), 602);
  EXPECT_EQ(*Ask(*database_, "SELECT 3"), 3);
}

}  // namespace
}  // namespace postgres
