// Who gets a connection, how soon the others are refused, and recovery without a restart.
#include "lib/postgres/pool.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "lib/postgres/server_fixture.h"
#include "lib/testing/eventually.h"
#include "lib/testing/temporary_directory.h"

namespace postgres {
namespace {

using base::Code;

int64_t NowMsOfTest() { return base::SystemClock().MonotonicMs(); }

std::string TextOf(const std::string& directory, const std::string& database,
                   const std::string& more = "") {
  return "host=" + directory + " user=postgres dbname=" + database + " " + more;
}

// An answer of a server behind the pool: 1, or -1 after an error.
int64_t One(Pool& pool) {
  auto lease = pool.Checkout({}, 5000);
  if (!lease) return -1;
  (*lease)->SetDeadline(2000);
  return Ask(**lease, "SELECT 1 LIMIT 1").value_or(-1);
}

class PoolTest : public ServerTest {
 protected:
  const testing::TemporaryDirectory place_;
};

TEST_F(PoolTest, ConnectionsAreSharedAndTheirNumberIsLimited) {
  Pool pool(place_.Write("dsn", TextOf(directory_, name_)),
            {.database = {.connect_ms = 10'000}, .connections = 2});
  {
    auto first = pool.Checkout({}, 1000), second = pool.Checkout({}, 1000);
    ASSERT_TRUE(first && second);
    const auto third = pool.Checkout({}, 20);
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code, Code::kUnavailable);
  }
  EXPECT_EQ(pool.Now().open, 2u);
  EXPECT_EQ(pool.Now().idle, 2u);
  std::vector<std::jthread> users;
  for (int i = 0; i < 8; ++i)
    users.emplace_back([&] {
      for (int round = 0; round < 20; ++round) EXPECT_EQ(One(pool), 1);
    });
  users.clear();
  EXPECT_EQ(pool.Now().open, 2u);
}

TEST_F(PoolTest, ScopeOfOneTenantDoesNotReachTheNext) {
  Pool pool(place_.Write("dsn", TextOf(directory_, name_)),
            {.database = {.connect_ms = 10'000}, .connections = 1});
  const char* tenant =
      "SELECT coalesce(nullif(current_setting('agent_memory.tenant', true), ''), '0') LIMIT 1";
  for (const char* number : {"7", "8"}) {
    auto lease = pool.Checkout({.settings = {{"agent_memory.tenant", number}}}, 1000);
    ASSERT_TRUE(lease);
    Transaction transaction = std::move(*Transaction::Begin(**lease));
    EXPECT_EQ(*Ask(**lease, tenant), std::stoi(number));
    ASSERT_TRUE(transaction.Commit());
  }
  auto lease = pool.Checkout({}, 1000);
  EXPECT_EQ(*Ask(**lease, tenant), 0);
}

TEST_F(PoolTest, DeadConnectionsAreReplacedUnseen) {
  Pool pool(place_.Write("dsn", TextOf(directory_, name_)), {.database = {.connect_ms = 10'000}});
  ASSERT_EQ(One(pool), 1);
  Database admin = ConnectTo(DsnOf(directory_, "postgres"));
  ASSERT_EQ(
      *Ask(admin,
           "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname='" +
               name_ + "'"),
      1);
  EXPECT_EQ(One(pool), 1);
  EXPECT_EQ(pool.Now().open, 1u);
}

TEST_F(PoolTest, ChangedAddressIsFollowed) {
  Pool pool(place_.Write("dsn", TextOf(directory_, name_)), {.database = {.connect_ms = 10'000}});
  auto before = pool.Checkout({}, 1000);
  ASSERT_TRUE(before);
  place_.Write("next", TextOf(directory_, "postgres"));
  std::filesystem::rename(place_.File("next"), place_.File("dsn"));
  auto after = pool.Checkout({}, 1000);
  ASSERT_TRUE(after);
  EXPECT_EQ(*Ask(**after,
                 "SELECT count(*) FROM pg_database WHERE datname = current_database() AND datname "
                 "= 'postgres'"),
            1);
  EXPECT_EQ(*Ask(**before, "SELECT 1"), 1);
  { const Pool::Lease ended = std::move(*before); }
  EXPECT_EQ(pool.Now().idle, 0u);  // of the old address
}

TEST_F(PoolTest, AddressThatIsGoodNoMoreIsNoFaultOfTheCallerAndOneThatNeverWasIs) {
  const std::string good = TextOf(directory_, name_);
  Pool pool(place_.Write("dsn", good), {.database = {.connect_ms = 10'000}});
  EXPECT_EQ(One(pool), 1);
  place_.Write("dsn", "host=x");
  const auto half = pool.Checkout({}, 1000);
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().code, Code::kUnavailable);
  EXPECT_NE(half.error().message.find("dbname"), std::string::npos) << half.error().message;
  std::filesystem::remove(place_.File("dsn"));
  const auto gone = pool.Checkout({}, 1000);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Code::kUnavailable);
  place_.Write("dsn", good);
  EXPECT_EQ(One(pool), 1);
  Pool never(place_.Write("other", "host=x"), {});
  const auto refused = never.Checkout({}, 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
}

TEST_F(PoolTest, AbsentServerIsRefusedAtOnceByAllButOne) {
  Pool pool(place_.Write("dsn", TextOf(place_.path(), name_)),
            {.retry_ms = 60'000, .most_retry_ms = 60'000});
  EXPECT_EQ(One(pool), -1);
  const int64_t start = NowMsOfTest();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(One(pool), -1);
  EXPECT_LT(NowMsOfTest() - start, 500);
  ASSERT_TRUE(pool.Now().failure);
  EXPECT_NE(pool.Now().failure->message.find(place_.path()), std::string::npos);
}

TEST_F(PoolTest, NextHostServesWhenOneIsAway) {
  Pool pool(place_.Write("dsn", "host=" + place_.path() + "," + directory_ +
                                    " user=postgres dbname=" + name_),
            {.database = {.connect_ms = 10'000}});
  EXPECT_EQ(One(pool), 1);
}

class OwnServerPoolTest : public OwnServerTest {
 protected:
  const testing::TemporaryDirectory place_;
};

TEST_F(OwnServerPoolTest, ServerThatStopsAndStartsIsFoundAgain) {
  Start();
  if (IsSkipped()) return;
  Pool pool(place_.Write("dsn", TextOf(server_->directory(), "postgres")), {});
  ASSERT_TRUE(testing::Eventually([&] { return One(pool) == 1; }));
  for (const char* end : {"stop", "kill"}) {
    server_->Order(end);
    const auto away = pool.Checkout({}, 5000);
    ASSERT_FALSE(away);
    EXPECT_EQ(away.error().code, Code::kUnavailable);
    server_->Order("start");
    EXPECT_TRUE(testing::Eventually([&] { return One(pool) == 1; }));
    EXPECT_FALSE(pool.Now().failure);
  }
}

TEST_F(OwnServerPoolTest, HungServerIsRefusedSoonAndFoundAgain) {
  Start();
  if (IsSkipped()) return;
  Pool pool(place_.Write("dsn", TextOf(server_->directory(), "postgres")), {.retry_ms = 1000});
  ASSERT_TRUE(testing::Eventually([&] { return One(pool) == 1; }));
  std::optional<Pool::Lease> lease = std::move(*pool.Checkout({}, 5000));
  { const auto idle = pool.Checkout({}, 5000); }
  ASSERT_EQ(pool.Now().idle, 1u);
  server_->Order("pause");
  (**lease).SetDeadline(100);
  EXPECT_FALSE(Ask(**lease, "SELECT 1"));
  lease.reset();
  EXPECT_EQ(pool.Now().idle, 0u);  // the other one would hang too
  ASSERT_TRUE(pool.Now().failure);
  // The failure is known: all are refused within half a second, the one that tries again too.
  std::vector<std::jthread> users;
  std::atomic<int64_t> slowest = 0;
  for (int i = 0; i < 20; ++i)
    users.emplace_back([&] {
      for (int round = 0; round < 30; ++round) {
        const int64_t start = NowMsOfTest();
        EXPECT_FALSE(pool.Checkout({}, 5000));
        int64_t seen = slowest;
        const int64_t took = NowMsOfTest() - start;
        while (took > seen && !slowest.compare_exchange_weak(seen, took)) {
        }
      }
    });
  users.clear();
  EXPECT_LT(slowest, 1500);  // connect_ms and a busy machine
  server_->Order("resume");
  EXPECT_TRUE(testing::Eventually([&] { return One(pool) == 1; }));
}

TEST_F(OwnServerPoolTest, ConnectionLimitOfTheServerIsUnavailableUntilOneEnds) {
  Start({"--set", "max_connections=5", "--set", "superuser_reserved_connections=0", "--set",
         "max_wal_senders=0"});
  if (IsSkipped()) return;
  Pool pool(place_.Write("dsn", TextOf(server_->directory(), "postgres")),
            {.database = {.connect_ms = 10'000}});
  std::vector<std::unique_ptr<Pool::Lease>> leases;
  base::Error refused;
  for (;;) {
    auto lease = pool.Checkout({}, 1000);
    if (!lease) {
      refused = lease.error();
      break;
    }
    leases.push_back(std::make_unique<Pool::Lease>(std::move(*lease)));
    ASSERT_LE(leases.size(), 5u);
  }
  EXPECT_EQ(refused.code, Code::kUnavailable);
  EXPECT_NE(refused.message.find("too many clients"), std::string::npos) << refused.message;
  leases.clear();
  EXPECT_EQ(One(pool), 1);
}

TEST_F(OwnServerPoolTest, PasswordAfterARotationIsTakenWithoutARestart) {
  Start({"--password", "right"});
  if (IsSkipped()) return;
  Pool pool(place_.Write("dsn", TextOf(server_->directory(), "postgres", "password=wr0ng")),
            {.database = {.connect_ms = 10'000}});
  const auto refused = pool.Checkout({}, 5000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_NE(refused.error().message.find("user postgres"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(refused.error().message.find("wr0ng"), std::string::npos);
  place_.Write("next", TextOf(server_->directory(), "postgres", "password=right"));
  std::filesystem::rename(place_.File("next"), place_.File("dsn"));
  EXPECT_EQ(One(pool), 1);
}

}  // namespace
}  // namespace postgres
