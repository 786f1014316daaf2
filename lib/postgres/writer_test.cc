// Group commit: what shares a transaction, whose error is whose, and what is tried again.
#include "lib/postgres/writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "lib/postgres/server_fixture.h"
#include "lib/testing/eventually.h"
#include "lib/testing/temporary_directory.h"

namespace postgres {
namespace {

using base::Code;
using base::Error;
using base::Status;

Status Insert(sql::Database& database, int64_t number) {
  ASSIGN_OR_RETURN(
      Statement insert,
      database.Prepare("INSERT INTO t(a, x) VALUES(?1, pg_current_xact_id()::text::bigint)"));
  return insert.Bind(number).Run();
}

class WriterTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    if (IsSkipped()) return;
    pool_ = std::make_unique<Pool>(
        place_.Write("dsn", "host=" + directory_ + " user=postgres dbname=" + name_),
        Pool::Options{.database = {.connect_ms = 10'000}, .connections = 4});
    admin_ = std::make_unique<Database>(Connect());
    ASSERT_TRUE(
        admin_->Execute("CREATE TABLE t(a bigint PRIMARY KEY, x bigint); CREATE TABLE u(a bigint); "
                        "CREATE TABLE gate(a bigint); INSERT INTO gate VALUES(1)"));
    Use({});
  }
  void TearDown() override {
    writer_.reset();
    admin_.reset();
    pool_.reset();
    ServerTest::TearDown();
  }
  void Use(Writer::Options options) {
    writer_.reset();
    writer_ = std::make_unique<Writer>(*pool_, workers_, std::move(options));
  }
  // Posts an item that waits in its transaction until `open`, so that what is queued meanwhile is
  // one batch.
  std::future<Status> Plug(std::atomic<bool>& open) {
    std::atomic<bool> inside = false;
    auto answer = writer_->Post([&](sql::Database&) -> Status {
      inside = true;
      inside.notify_all();
      open.wait(false);
      return {};
    });
    inside.wait(false);
    return answer;
  }
  void Open(std::atomic<bool>& gate) {
    gate = true;
    gate.notify_all();
  }
  int64_t Count(const char* of = "*") {
    return *Ask(*admin_, std::string("SELECT count(") + of + ") FROM t");
  }

  const testing::TemporaryDirectory place_;
  base::Workers workers_{"writers", 2, 100};
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<Database> admin_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(WriterTest, WhatWaitsTogetherSharesATransaction) {
  std::atomic<bool> open = false;
  auto plugged = Plug(open);
  std::vector<std::future<Status>> answers;
  for (int64_t i = 0; i < 100; ++i)
    answers.push_back(writer_->Post([i](sql::Database& database) { return Insert(database, i); }));
  EXPECT_EQ(writer_->Queued(), 100u);
  Open(open);
  for (auto& answer : answers) EXPECT_TRUE(answer.get());
  EXPECT_EQ(Count(), 100);
  EXPECT_EQ(Count("DISTINCT x"), 1);
  // The savepoints, the statements and COMMIT of a hundred items: BEGIN and its settings are waited
  // for with the last of them.
}

TEST_F(WriterTest, EachItemHasItsOwnErrorAndOnlyItsRowsGo) {
  ASSERT_TRUE(Do(*admin_, "INSERT INTO t VALUES(50, 0), (70, 0)"));
  std::atomic<bool> open = false;
  auto plugged = Plug(open);
  std::vector<std::future<Status>> answers;
  for (int64_t i = 0; i < 100; ++i)
    answers.push_back(writer_->Post([i](sql::Database& database) -> Status {
      RETURN_IF_ERROR(Insert(database, 1000 + i));
      RETURN_IF_ERROR(Insert(database, i));  // of two items it fails, late
      if (i % 10 == 3) return Error{Code::kNotFound, "mine"};
      if (i % 10 == 4) RETURN_IF_ERROR(Do(static_cast<Database&>(database), "SELECT 1"));
      return {};
    }));
  Open(open);
  for (int64_t i = 0; i < 100; ++i) {
    const Status answer = answers[static_cast<size_t>(i)].get();
    if (i == 50 || i == 70)
      EXPECT_EQ(answer ? Code::kInternal : answer.error().code, Code::kConflict) << i;
    else if (i % 10 == 3)
      EXPECT_EQ(answer ? "" : answer.error().message, "mine") << i;
    else
      EXPECT_TRUE(answer) << i << ": " << answer.error().message;
  }
  EXPECT_EQ(Count(), 2 + 2 * (100 - 2 - 10));
}

TEST_F(WriterTest, AnErrorThatAnItemHandlesIsNotTakenForAnothers) {
  ASSERT_TRUE(Do(*admin_, "INSERT INTO t VALUES(1, 0)"));
  std::atomic<bool> open = false;
  auto plugged = Plug(open);
  // The first fails late, in a transaction of its own. The second undoes its own part.
  auto fails = writer_->Post([](sql::Database& database) -> Status {
    ASSIGN_OR_RETURN(Transaction inner, Transaction::Begin(database));
    RETURN_IF_ERROR(Insert(database, 1));
    return inner.Commit();
  });
  auto undoes = writer_->Post([](sql::Database& database) -> Status {
    RETURN_IF_ERROR(Insert(database, 2));
    {
      ASSIGN_OR_RETURN(const Transaction inner, Transaction::Begin(database));
      (void)Insert(database, 3);
    }
    return Insert(database, 4);
  });
  Open(open);
  const Status failed = fails.get();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kConflict);
  EXPECT_TRUE(undoes.get());
  EXPECT_EQ(*Ask(*admin_, "SELECT sum(a) FROM t"), 1 + 2 + 4);
}

TEST_F(WriterTest, CallersLeadOneAfterTheOther) {
  std::vector<std::jthread> callers;
  for (int64_t caller = 0; caller < 16; ++caller)
    callers.emplace_back([&, caller] {
      for (int64_t i = 0; i < 25; ++i) {
        const auto answer =
            writer_->Run<int64_t>([=](sql::Database& database) -> base::Result<int64_t> {
              RETURN_IF_ERROR(Insert(database, caller * 100 + i));
              return caller;
            });
        EXPECT_TRUE(answer && *answer == caller);
      }
    });
  callers.clear();
  EXPECT_EQ(Count(), 400);
  EXPECT_LT(Count("DISTINCT x"), 400);
  EXPECT_EQ(writer_->Queued(), 0u);
}

TEST_F(WriterTest, FullQueueRefusesAndAdmissionAsksOnlyConsumers) {
  Use({.queue = 2, .admit = []() -> Status { return Error{Code::kFull, "no space"}; }});
  std::atomic<bool> open = false;
  const auto nothing = [](sql::Database&) -> Status { return {}; };
  EXPECT_EQ(writer_->RunAny(nothing).error().code, Code::kFull);
  EXPECT_TRUE(writer_->RunAny(nothing, sql::Writer::Space::kFrees));
  Use({.queue = 2});
  auto plugged = Plug(open);
  auto first = writer_->Post(nothing), second = writer_->Post(nothing);
  const Status third = writer_->RunAny(nothing);
  Open(open);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Code::kUnavailable);
  EXPECT_TRUE(first.get() && second.get());
}

TEST_F(WriterTest, HookBeforeCommitRunsOnceABatchAndRollsItBack) {
  std::atomic<int> runs = 0;
  Use({.before_commit = [&](sql::Database& database) -> Status {
    ++runs;
    ASSIGN_OR_RETURN(Statement odd, database.Prepare("SELECT count(*) FROM t WHERE a=13 LIMIT 1"));
    ASSIGN_OR_RETURN(const bool row, odd.Step());
    if (row && odd.Int(0) > 0) return Error{Code::kInvalid, "thirteen"};
    return {};
  }});
  EXPECT_TRUE(writer_->RunAny([](sql::Database& database) { return Insert(database, 1); }));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(
      writer_->RunAny([](sql::Database& database) { return Insert(database, 13); }).error().message,
      "thirteen");
  EXPECT_EQ(Count(), 1);
}

TEST_F(WriterTest, DeadlockIsTriedAgainUntilItPasses) {
  ASSERT_TRUE(admin_->Execute("INSERT INTO t VALUES(1, 0), (2, 0)"));
  Use({.scope = [] { return Scope{.settings = {{"deadlock_timeout", "20"}}}; }});
  Database other = Connect();
  ASSERT_TRUE(other.Execute("SET deadlock_timeout = '60s'"));
  std::optional<Transaction> theirs = std::move(*Transaction::Begin(other));
  ASSERT_TRUE(Ask(other, "SELECT a FROM t WHERE a=1 FOR UPDATE"));
  std::jthread crosses;
  std::atomic<int> tries = 0;
  const Status answer = writer_->RunAny([&](sql::Database& database) -> Status {
    auto& mine = static_cast<Database&>(database);
    RETURN_IF_ERROR(Do(mine, "UPDATE t SET x = x + 1 WHERE a=2"));
    if (++tries == 1) {
      (void)Ask(mine, "SELECT 1 LIMIT 1");
      crosses = std::jthread([&] {
        EXPECT_TRUE(Ask(other, "SELECT a FROM t WHERE a=2 FOR UPDATE"));
        EXPECT_TRUE(theirs->Commit());
      });
      EXPECT_TRUE(testing::Eventually([&] {
        return *Ask(*admin_, "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid=" +
                                 std::to_string(other.Backend())) > 0;
      }));
    }
    return Do(mine, "UPDATE t SET x = x + 1 WHERE a=1");
  });
  EXPECT_TRUE(answer) << answer.error().message;
  EXPECT_GE(tries, 2);
  EXPECT_EQ(*Ask(*admin_, "SELECT sum(x) FROM t"), 2);
}

TEST_F(WriterTest, LockThatIsHeldTooLongIsUnavailableInTime) {
  Use({.batch_ms = 200, .scope = [] { return Scope{.lock = "SELECT a FROM gate FOR UPDATE"}; }});
  const Transaction holds = std::move(*Transaction::Begin(*admin_));
  ASSERT_TRUE(Ask(*admin_, "SELECT a FROM gate FOR UPDATE"));
  const int64_t start = base::SystemClock().MonotonicMs();
  const Status late = writer_->RunAny([](sql::Database& database) { return Insert(database, 1); });
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kUnavailable) << late.error().message;
  EXPECT_EQ(late.error().message.find("unknown"), std::string::npos) << late.error().message;
  EXPECT_LT(base::SystemClock().MonotonicMs() - start, 3000);
}

TEST_F(WriterTest, WritersOfOneLockAreSerialOverProcesses) {
  const auto locked = [] { return Scope{.lock = "SELECT a FROM gate FOR UPDATE"}; };
  Use({.scope = locked});
  Writer second(*pool_, workers_, {.scope = locked});
  const auto next = [](sql::Database& database) -> Status {
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT coalesce(max(a), 0) + 1 FROM t LIMIT 1"));
    RETURN_IF_ERROR(read.Step());
    return Insert(database, read.Int(0));  // a conflict, if another one read the same
  };
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 25; ++i) EXPECT_TRUE((caller % 2 ? second : *writer_).RunAny(next));
    });
  callers.clear();
  EXPECT_EQ(*Ask(*admin_, "SELECT max(a) FROM t"), 200);
}

TEST_F(WriterTest, SessionLostBeforeCommitIsTriedAgain) {
  std::atomic<int> tries = 0;
  const Status answer = writer_->RunAny([&](sql::Database& database) -> Status {
    RETURN_IF_ERROR(Insert(database, 1));
    auto& mine = static_cast<Database&>(database);
    if (++tries == 1) {
      EXPECT_EQ(*Ask(*admin_,
                     "SELECT pg_terminate_backend(" + std::to_string(mine.Backend()) + ", 10000)"),
                1);
    }
    ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT count(*) FROM t LIMIT 1"));
    RETURN_IF_ERROR(read.Step());
    return {};
  });
  EXPECT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(Count(), 1);
}

TEST_F(WriterTest, SessionLostInCommitIsUnknownForTheWholeBatchAndNotTriedAgain) {
  ASSERT_TRUE(
      admin_->Execute("CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                      "PERFORM a FROM gate FOR UPDATE; RETURN NEW; END $$;"
                      "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON t DEFERRABLE INITIALLY "
                      "DEFERRED FOR EACH ROW EXECUTE FUNCTION waits()"));
  Database killer = Connect();
  const Transaction holds = std::move(*Transaction::Begin(*admin_));
  ASSERT_TRUE(Ask(*admin_, "SELECT a FROM gate FOR UPDATE"));
  std::atomic<bool> open = false;
  auto plugged = Plug(open);
  std::atomic<int> tries = 0;
  std::vector<std::future<Status>> answers;
  for (int64_t i = 0; i < 3; ++i)
    answers.push_back(writer_->Post([&, i](sql::Database& database) {
      ++tries;
      return Insert(database, i);
    }));
  Open(open);
  EXPECT_TRUE(testing::Eventually([&] {
    return *Ask(killer,
                "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_locks WHERE NOT granted "
                "AND locktype='transactionid'") > 0;
  }));
  for (auto& answer : answers) {
    const Status unknown = answer.get();
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, Code::kUnavailable);
    EXPECT_NE(unknown.error().message.find("unknown"), std::string::npos)
        << unknown.error().message;
  }
  EXPECT_EQ(tries, 3);
}

}  // namespace
}  // namespace postgres
