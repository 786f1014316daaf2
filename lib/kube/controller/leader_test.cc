// Two replicas and a Lease, on the fake API server and on the real one of
// AGENT_MEMORY_TEST_KUBECONFIG (e2e/cluster/up --api-only prints it).
#include "lib/kube/controller/leader.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/base/process/random.h"
#include "lib/kube/client/connection.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"

namespace kube {
namespace {

using testing::Eventually;

struct Candidate {
  Candidate(http::Client& http, const ObjectKey& key, const char* identity,
            int64_t duration_ms = 1'000, std::function<bool()> may_stand = {})
      : client(http),
        lease(client, {key, identity, duration_ms, duration_ms * 3 / 5, 50, 0}),
        leader(
            lease,
            [this](bool now) {
              ++changes;
              leads = now;
            },
            std::move(may_stand)) {}
  std::atomic<bool> leads = false;
  std::atomic<int> changes = 0;
  KubeClient client;
  Lease lease;
  Leader leader;
};

class LeaderStory : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "FakeCluster") {
      fake_ = std::make_unique<::testing::FakeCluster>();
      return;
    }
    const char* file = std::getenv("AGENT_MEMORY_TEST_KUBECONFIG");
    if (!file) GTEST_SKIP() << "AGENT_MEMORY_TEST_KUBECONFIG is not set";
    connection_ = Connection::Make(ReadKubeconfig(file).value(), {}, "leader-test").value();
  }
  void TearDown() override {
    if (connection_) (void)connection_->client().Delete(Leases(), key_);
  }
  http::Client& http() { return fake_ ? *fake_ : connection_->client().http(); }
  std::string Holder() {
    auto lease = KubeClient(http()).Get(Leases(), key_);
    return lease ? base::StringAt(*lease, {"spec", "holderIdentity"}) : lease.error().message;
  }

  const ObjectKey key_{"default", "leader-test-" + base::RandomHex(4)};
  std::unique_ptr<::testing::FakeCluster> fake_;
  std::unique_ptr<Connection> connection_;
};
INSTANTIATE_TEST_SUITE_P(On, LeaderStory, ::testing::Values("FakeCluster", "ApiServer"),
                         [](const auto& of) { return of.param; });

TEST_P(LeaderStory, StoppedLeaderHandsOver) {
  // The Lease outlasts every wait of this test: b can lead only after a's release.
  Candidate a(http(), key_, "a", 120'000), b(http(), key_, "b", 120'000);
  a.leader.Start();
  ASSERT_TRUE(Eventually([&] { return a.leads.load(); }));
  b.leader.Start();
  EXPECT_EQ(Holder(), "a");
  a.leader.Stop();
  EXPECT_FALSE(a.lease.Holds());
  EXPECT_TRUE(Eventually([&] { return b.leads.load(); }));
  EXPECT_EQ(Holder(), "b");
  b.leader.Stop();
  EXPECT_EQ(Holder(), "");
}

TEST_P(LeaderStory, SilentLeaderIsReplaced) {
  Candidate a(http(), key_, "a"), b(http(), key_, "b");
  ASSERT_TRUE(a.lease.Try());  // its only try
  b.leader.Start();
  EXPECT_TRUE(Eventually([&] { return b.leads.load(); }));
  EXPECT_FALSE(a.lease.Holds());
  EXPECT_EQ(Holder(), "b");
}

TEST(Leader, UnfitProcessDoesNotHoldTheLease) {
  ::testing::FakeCluster cluster;
  const ObjectKey key{"n", "operator"};
  std::atomic<bool> able = false;
  std::atomic<int> asked = 0;
  Candidate a(cluster, key, "a", 1'000, [&] { return ++asked, able.load(); }), b(cluster, key, "b");
  a.leader.Start();
  ASSERT_TRUE(Eventually([&] { return asked >= 2; }));
  EXPECT_TRUE(cluster.calls().empty());
  able = true;
  ASSERT_TRUE(Eventually([&] { return a.leads.load(); }));
  b.leader.Start();
  able = false;
  EXPECT_TRUE(Eventually([&] { return !a.leads && b.leads; }));
  EXPECT_FALSE(a.lease.Holds());
}

TEST(LeaderOutage, OutageEndsTheTermAndProcessRunsAgain) {
  ::testing::FakeCluster cluster;
  Candidate a(cluster, {"n", "operator"}, "a");
  a.leader.Start();
  ASSERT_TRUE(Eventually([&] { return a.leads.load(); }));
  cluster.Inject({"", "leases", 0, 0, false, 1'000'000});
  ASSERT_TRUE(Eventually([&] { return !a.leads; }));
  EXPECT_FALSE(a.lease.Holds());
  cluster.ClearFaults();
  ASSERT_TRUE(Eventually([&] { return a.leads.load(); }));
  EXPECT_GE(a.changes, 3);  // more after a late renewal
}

}  // namespace
}  // namespace kube
