// A server that dies, hangs, refuses or warns: each wait ends in time, with the right error.
#include <gtest/gtest.h>

#include <thread>

#include "lib/postgres/server_fixture.h"
#include "lib/testing/eventually.h"

namespace postgres {
namespace {

using base::Code;

int64_t Now() { return base::SystemClock().MonotonicMs(); }

class FailureTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    if (IsSkipped()) return;
    // A busy machine may take long to end a statement.
    database_ = std::make_unique<Database>(Connect({.connect_ms = 10'000, .cancel_ms = 10'000}));
    other_ = std::make_unique<Database>(Connect());
    ASSERT_TRUE(
        database_->Execute("CREATE TABLE t(a bigint PRIMARY KEY); INSERT INTO t VALUES(1)"));
  }
  void TearDown() override {
    database_.reset();
    other_.reset();
    ServerTest::TearDown();
  }
  // Another session locks the row; its lock ends with the returned transaction.
  Transaction Locked() {
    Transaction holds = std::move(*Transaction::Begin(*other_));
    EXPECT_TRUE(Ask(*other_, "SELECT a FROM t WHERE a=1 FOR UPDATE"));
    return holds;
  }
  void Terminate(const Database& victim) {
    Database admin = Connect();
    EXPECT_EQ(
        *Ask(admin, "SELECT pg_terminate_backend(" + std::to_string(victim.Backend()) + ", 10000)"),
        1);
  }
  std::unique_ptr<Database> database_, other_;
};

TEST_F(FailureTest, DeadlineEndsAWaitForALockAndSparesTheTransaction) {
  const Transaction holds = Locked();
  Transaction transaction = std::move(*Transaction::Begin(*database_));
  ASSERT_TRUE(Do(*database_, "INSERT INTO t VALUES(2)"));
  {
    Transaction savepoint = std::move(*Transaction::Begin(*database_));
    TimeLimit limit(*database_, 100);
    const auto waited = Ask(*database_, "SELECT a FROM t WHERE a=1 FOR UPDATE");
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().code, Code::kTimeout) << waited.error().message;
    EXPECT_TRUE(limit.Met());
  }
  EXPECT_FALSE(database_->Broken());
  ASSERT_TRUE(transaction.Commit());
  EXPECT_EQ(*Ask(*database_, "SELECT count(*) FROM t"), 2);
}

TEST_F(FailureTest, StopTokenEndsAStatementWithTheErrorOfItsLimit) {
  std::stop_source stop;
  std::jthread stopper([&] {
    Database admin = Connect();
    EXPECT_TRUE(testing::Eventually([&] {
      return *Ask(admin,
                  "SELECT count(*) FROM pg_stat_activity WHERE state='active' AND query LIKE "
                  "'%pg_sleep(60)%' AND pid=" +
                      std::to_string(database_->Backend())) == 1;
    }));
    stop.request_stop();
  });
  const TimeLimit limit(*database_, 600'000, stop.get_token(),
                        {Code::kUnavailable, "the program stops"});
  const auto slept = Ask(*database_, "SELECT 1 FROM pg_sleep(60)");
  ASSERT_FALSE(slept);
  EXPECT_EQ(slept.error().message, "the program stops");
  EXPECT_FALSE(Ask(*database_, "SELECT 1"));  // the limit is over for all calls
}

TEST_F(FailureTest, StatementTimeoutOfTheServerIsATimeout) {
  ASSERT_TRUE(database_->Execute("SET statement_timeout = 50"));
  EXPECT_EQ(Ask(*database_, "SELECT 1 FROM pg_sleep(60)").error().code, Code::kTimeout);
  EXPECT_EQ(*Ask(*database_, "SELECT 1 LIMIT 1"), 1);
}

TEST_F(FailureTest, TerminatedSessionIsUnavailableAndNothingOfItIsKept) {
  {
    Transaction transaction = std::move(*Transaction::Begin(*database_));
    ASSERT_TRUE(Do(*database_, "INSERT INTO t VALUES(2)"));
    EXPECT_EQ(*Ask(*database_, "SELECT count(*) FROM t"), 2);
    Terminate(*database_);
    const auto lost = Ask(*database_, "SELECT count(*) FROM t");
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Code::kUnavailable);
    EXPECT_NE(lost.error().message.find(name_), std::string::npos) << lost.error().message;
    EXPECT_FALSE(transaction.Commit());
  }
  EXPECT_TRUE(database_->Broken());
  EXPECT_FALSE(database_->CommitUnknown());
  EXPECT_FALSE(database_->LooksAlive());
  EXPECT_EQ(Do(*database_, "SELECT 1").error().code, Code::kUnavailable);
  EXPECT_EQ(*Ask(*other_, "SELECT count(*) FROM t"), 1);
}

TEST_F(FailureTest, ConnectionLostInCommitIsUnknown) {
  // The deferred constraint makes COMMIT wait for a lock until its session is terminated.
  ASSERT_TRUE(
      database_->Execute("CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                         "PERFORM a FROM t WHERE a=1 FOR UPDATE; RETURN NEW; END $$;"
                         "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON t DEFERRABLE INITIALLY "
                         "DEFERRED FOR EACH ROW EXECUTE FUNCTION waits()"));
  const Transaction holds = Locked();
  std::jthread killer([&] {
    Database admin = Connect();
    EXPECT_TRUE(testing::Eventually([&] {
      return *Ask(admin, "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid=" +
                             std::to_string(database_->Backend())) > 0;
    }));
    Terminate(*database_);
  });
  Transaction transaction = std::move(*Transaction::Begin(*database_));
  ASSERT_TRUE(Do(*database_, "INSERT INTO t VALUES(2)"));
  const TimeLimit limit(*database_, 1);  // nothing is cancelled during COMMIT
  const base::Status committed = transaction.Commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, Code::kUnavailable);
  EXPECT_NE(committed.error().message.find("unknown"), std::string::npos)
      << committed.error().message;
  EXPECT_TRUE(database_->CommitUnknown());
}

TEST_F(FailureTest, CommitHasADeadlineOfItsOwn) {
  ASSERT_TRUE(
      database_->Execute("CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                         "PERFORM a FROM t WHERE a=1 FOR UPDATE; RETURN NEW; END $$;"
                         "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON t DEFERRABLE INITIALLY "
                         "DEFERRED FOR EACH ROW EXECUTE FUNCTION waits()"));
  const Transaction holds = Locked();
  Database impatient = Connect({.connect_ms = 10'000, .commit_ms = 50});
  Transaction transaction = std::move(*Transaction::Begin(impatient));
  ASSERT_TRUE(Do(impatient, "INSERT INTO t VALUES(2)"));
  EXPECT_FALSE(transaction.Commit());
  EXPECT_TRUE(impatient.CommitUnknown());
  EXPECT_TRUE(impatient.Broken());
  EXPECT_FALSE(impatient.Hung());  // it may wait for a standby, and answer others
}

TEST_F(FailureTest, DeadlockIsAPassingError) {
  ASSERT_TRUE(database_->Execute("INSERT INTO t VALUES(2); SET deadlock_timeout = 20"));
  ASSERT_TRUE(other_->Execute("SET deadlock_timeout = '60s'"));
  Transaction theirs = Locked();
  Transaction ours = std::move(*Transaction::Begin(*database_));
  ASSERT_TRUE(Ask(*database_, "SELECT a FROM t WHERE a=2 FOR UPDATE"));
  std::jthread crosses([&] { EXPECT_TRUE(Ask(*other_, "SELECT a FROM t WHERE a=2 FOR UPDATE")); });
  Database admin = Connect();
  EXPECT_TRUE(testing::Eventually([&] {
    return *Ask(admin, "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid=" +
                           std::to_string(other_->Backend())) > 0;
  }));
  const auto locked = Ask(*database_, "SELECT a FROM t WHERE a=1 FOR UPDATE");
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, Code::kUnavailable) << locked.error().message;
  EXPECT_TRUE(database_->Passing());
  { const Transaction ended = std::move(ours); }
}

TEST_F(FailureTest, ReadOnlyServerIsUnavailable) {
  ASSERT_TRUE(database_->Execute("SET default_transaction_read_only = on"));
  const base::Status refused = Do(*database_, "INSERT INTO t VALUES(2)");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable) << refused.error().message;
}

TEST_F(FailureTest, MissingDatabaseOrUserIsUnavailableWithTheAddress) {
  const auto nowhere = DsnOf(directory_, "nowhere", "nobody", "password=s3cret");
  const auto refused = Database::Connect(nowhere, nowhere->hosts[0], {.connect_ms = 10'000});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_NE(refused.error().message.find("database nowhere, user nobody"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(refused.error().message.find("s3cret"), std::string::npos);
}

class OwnServerFailureTest : public OwnServerTest {};

TEST_F(OwnServerFailureTest, WarningAtCommitIsUnknown) {
  Start({"--set", "synchronous_standby_names=x"});
  if (IsSkipped()) return;
  Database database = ConnectTo(server_->At()), admin = ConnectTo(server_->At());
  // Commits that wait for no standby.
  ASSERT_TRUE(database.Execute("SET synchronous_commit = local"));
  ASSERT_TRUE(database.Execute("CREATE TABLE t(a bigint)"));
  ASSERT_TRUE(database.Execute("SET synchronous_commit = on"));
  std::jthread canceller([&] {
    EXPECT_TRUE(testing::Eventually([&] {
      return *Ask(admin,
                  "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid=" +
                      std::to_string(database.Backend())) == 1;
    }));
    EXPECT_EQ(*Ask(admin, "SELECT pg_cancel_backend(" + std::to_string(database.Backend()) + ")"),
              1);
  });
  {
    Transaction transaction = std::move(*Transaction::Begin(database));
    ASSERT_TRUE(Do(database, "INSERT INTO t VALUES(1)"));
    const base::Status committed = transaction.Commit();
    ASSERT_FALSE(committed);  // the server said INSERT 0 1 and COMMIT
    EXPECT_EQ(committed.error().code, Code::kUnavailable);
    EXPECT_NE(committed.error().message.find("unknown"), std::string::npos)
        << committed.error().message;
    EXPECT_TRUE(database.CommitUnknown());
  }
  EXPECT_FALSE(database.Broken());
  EXPECT_EQ(*Ask(database, "SELECT count(*) FROM t"), 1);
}

TEST_F(OwnServerFailureTest, HungServerEndsAWaitAtTheDeadline) {
  Start();
  if (IsSkipped()) return;
  Database database = ConnectTo(server_->At());
  ASSERT_EQ(*Ask(database, "SELECT 1"), 1);
  server_->Order("pause");
  const int64_t start = Now();
  database.SetDeadline(100);
  const auto hung = Ask(database, "SELECT 1");
  ASSERT_FALSE(hung);
  EXPECT_EQ(hung.error().code, Code::kTimeout) << hung.error().message;
  EXPECT_LT(Now() - start, 1500);
  EXPECT_TRUE(database.Hung());
  const auto dsn = server_->At();
  const auto refused = Database::Connect(dsn, dsn->hosts[0], {.connect_ms = 100});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  server_->Order("resume");
}

}  // namespace
}  // namespace postgres
