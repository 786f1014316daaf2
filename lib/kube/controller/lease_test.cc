// The holder of a Lease and its write allowance. Clocks move only by the tests.
#include "lib/kube/controller/lease.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/testing/fake_clock.h"
#include "lib/testing/fake_cluster.h"

namespace kube {
namespace {

const ObjectKey kKey{"n", "operator"};

// One replica: its clock, a client for the Lease, and a client whose writes the Lease limits.
struct Replica {
  Replica(::testing::FakeCluster& cluster, std::string identity, uint64_t seed = 1)
      : lease_client(cluster, ForLease({}, {}), nullptr, clock),
        lease(lease_client, {.key = kKey, .identity = std::move(identity), .seed = seed}, clock),
        client(cluster, Limited(), nullptr, clock) {}

  ClientSettings Limited() {
    ClientSettings settings;
    settings.write_allowance_ms = [this] { return lease.WriteAllowanceMs(); };
    return settings;
  }
  bool Try() {
    tried = lease.Try();
    return lease.Holds();
  }
  base::Result<Json> Write() {
    return client.Apply(ConfigMaps(), {{"apiVersion", "v1"},
                                       {"kind", "ConfigMap"},
                                       {"metadata", {{"name", "a"}, {"namespace", "n"}}}});
  }

  ::testing::FakeClock clock;
  KubeClient lease_client;
  Lease lease;
  KubeClient client;
  base::Status tried;
};

class LeaseTest : public ::testing::Test {
 protected:
  Json Spec() const { return (*cluster_.Get(Leases(), kKey))["spec"]; }
  void Advance(int64_t ms) {
    a_.clock.Advance(ms);
    b_.clock.Advance(ms);
  }
  void PutSpec(Json spec) {
    cluster_.Put({{"apiVersion", "coordination.k8s.io/v1"},
                  {"kind", "Lease"},
                  {"metadata", {{"name", kKey.name}, {"namespace", kKey.name_space}}},
                  {"spec", std::move(spec)}});
  }

  ::testing::FakeCluster cluster_;
  Replica a_{cluster_, "a"}, b_{cluster_, "b"};
};

TEST_F(LeaseTest, FirstAcquiresAndOtherWaits) {
  EXPECT_FALSE(a_.lease.Holds());
  EXPECT_TRUE(a_.Try());
  EXPECT_FALSE(b_.Try());
  EXPECT_TRUE(b_.tried) << b_.tried.error().message;
  EXPECT_EQ(Spec()["holderIdentity"], "a");
  EXPECT_EQ(Spec()["leaseDurationSeconds"], 15);
  EXPECT_EQ(Spec()["leaseTransitions"], 0);
  EXPECT_EQ(Spec()["acquireTime"], "2023-11-14T22:13:20.000000Z");
  Advance(2'000);
  EXPECT_TRUE(a_.Try());
  EXPECT_EQ(Spec()["acquireTime"], "2023-11-14T22:13:20.000000Z");
  EXPECT_EQ(Spec()["renewTime"], "2023-11-14T22:13:22.000000Z");
}

TEST_F(LeaseTest, SilentHolderIsReplacedAfterDuration) {
  ASSERT_TRUE(a_.Try());
  EXPECT_FALSE(b_.Try());
  b_.clock.Advance(14'999);
  EXPECT_FALSE(b_.Try());
  EXPECT_EQ(b_.lease.NextTryMs(), 2) << "it tries again when the other's time is over";
  b_.clock.Advance(2);
  EXPECT_TRUE(b_.Try());
  EXPECT_EQ(Spec()["holderIdentity"], "b");
  EXPECT_EQ(Spec()["leaseTransitions"], 1);
}

TEST_F(LeaseTest, RenewalRestartsTheWaitAndLabelDoesNot) {
  ASSERT_TRUE(a_.Try());
  EXPECT_FALSE(b_.Try());
  Advance(9'000);
  ASSERT_TRUE(a_.Try());
  EXPECT_FALSE(b_.Try());
  Advance(10'000);
  EXPECT_FALSE(b_.Try());
  Json lease = *cluster_.Get(Leases(), kKey);
  lease["metadata"]["labels"]["touched"] = "yes";
  cluster_.Put(lease);
  Advance(5'001);
  EXPECT_TRUE(b_.Try());
}

TEST_F(LeaseTest, WallClocksAreIgnored) {
  a_.clock.Jump(-86'400'000 * 365LL);  // a's renewTime is a year old
  ASSERT_TRUE(a_.Try());
  EXPECT_FALSE(b_.Try());
  b_.clock.Jump(86'400'000);
  EXPECT_FALSE(b_.Try());
  a_.clock.Jump(86'400'000 * 730LL);
  EXPECT_TRUE(a_.lease.Holds());
}

TEST_F(LeaseTest, ReleasedLeaseIsAcquiredAtOnce) {
  ASSERT_TRUE(a_.Try());
  EXPECT_FALSE(b_.Try());
  EXPECT_TRUE(a_.lease.Release());
  EXPECT_FALSE(a_.lease.Holds());
  EXPECT_EQ(Spec()["holderIdentity"], "");
  EXPECT_TRUE(b_.Try());
  EXPECT_TRUE(a_.lease.Release()) << "what is not held need not be given up";
  EXPECT_EQ(Spec()["holderIdentity"], "b");
}

TEST_F(LeaseTest, SameIdentityContinuesAfterRestart) {
  ASSERT_TRUE(a_.Try());
  Replica again(cluster_, "a");
  EXPECT_TRUE(again.Try());
  EXPECT_EQ(Spec()["leaseTransitions"], 0);
}

TEST_F(LeaseTest, OneOfTwoAcquiresAFreeLease) {
  PutSpec({{"holderIdentity", ""}, {"leaseDurationSeconds", 1}});
  ASSERT_TRUE(a_.Try());
  EXPECT_TRUE(a_.lease.Release());
  // b takes the released Lease; a sees that later.
  Advance(1);
  ASSERT_TRUE(b_.Try());
  a_.clock.Advance(20'000);
  ASSERT_FALSE(a_.Try()) << "it has only just seen b's record";
  a_.clock.Advance(15'001);
  Replica c(cluster_, "c");
  ASSERT_FALSE(c.Try());
  c.clock.Advance(15'001);
  EXPECT_TRUE(c.Try());
  EXPECT_FALSE(a_.Try()) << "c was faster";
  EXPECT_EQ(Spec()["holderIdentity"], "c");
}

TEST_F(LeaseTest, NoWriteAfterTheRenewDeadline) {
  EXPECT_FALSE(a_.Write()) << "before it leads";
  ASSERT_TRUE(a_.Try());
  EXPECT_EQ(a_.lease.WriteAllowanceMs(), 15'000);
  EXPECT_TRUE(a_.Write());
  a_.clock.Advance(9'999);
  EXPECT_EQ(a_.lease.WriteAllowanceMs(), 5'001) << "done before anybody else may write";
  EXPECT_TRUE(a_.Write());
  a_.clock.Advance(1);
  cluster_.ForgetCalls();
  auto refused = a_.Write();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kUnavailable);
  EXPECT_TRUE(cluster_.calls().empty());
  EXPECT_TRUE(a_.client.Get(ConfigMaps(), {"n", "a"})) << "reads go on";
}

TEST_F(LeaseTest, ShortOutageKeepsTheLease) {
  ASSERT_TRUE(a_.Try());
  cluster_.Inject({"", "leases", 0, 0, false, 4});
  for (int i = 0; i < 4; ++i) {
    Advance(2'000);
    EXPECT_TRUE(a_.Try());
    EXPECT_FALSE(a_.tried);
  }
  EXPECT_TRUE(a_.Try());
  EXPECT_TRUE(a_.tried);
  EXPECT_EQ(a_.lease.WriteAllowanceMs(), 15'000);
}

TEST_F(LeaseTest, RetryAfterKeepsTheLease) {
  ASSERT_TRUE(a_.Try());
  cluster_.Inject({"", "leases", 503, /*retry_after_s=*/60});
  EXPECT_TRUE(a_.Try());
  EXPECT_FALSE(a_.tried);
  Advance(a_.lease.NextTryMs());
  EXPECT_TRUE(a_.Try());
  EXPECT_TRUE(a_.tried) << a_.tried.error().message;
}

TEST_F(LeaseTest, IsReleasedAfterALostRenewalAnswer) {
  ASSERT_TRUE(a_.Try());
  Advance(2'000);
  cluster_.Inject({"PATCH", "leases", 0, 0, /*after_effect=*/true});
  EXPECT_TRUE(a_.Try());
  EXPECT_FALSE(a_.tried);
  EXPECT_TRUE(a_.lease.Release());
  EXPECT_EQ(Spec()["holderIdentity"], "");
}

TEST_F(LeaseTest, LostAnswerKeepsTheLease) {
  cluster_.Inject({"CREATE", "leases", 0, 0, /*after_effect=*/true});
  EXPECT_FALSE(a_.Try());
  EXPECT_TRUE(a_.Try());
  cluster_.Inject({"PATCH", "leases", 0, 0, /*after_effect=*/true});
  EXPECT_TRUE(a_.Try());
  EXPECT_FALSE(a_.tried);
  EXPECT_TRUE(a_.Try());
  EXPECT_TRUE(a_.tried) << a_.tried.error().message;
  EXPECT_EQ(Spec()["leaseTransitions"], 0);
}

TEST_F(LeaseTest, AnotherHolderEndsTheTermAtOnce) {
  ASSERT_TRUE(a_.Try());
  Json taken = Spec();
  taken["holderIdentity"] = "z";
  PutSpec(taken);
  EXPECT_FALSE(a_.Try());
  EXPECT_FALSE(a_.Write());
  EXPECT_TRUE(a_.lease.Release());
  EXPECT_EQ(Spec()["holderIdentity"], "z");
}

TEST_F(LeaseTest, DeletedLeaseIsRecreated) {
  ASSERT_TRUE(a_.Try());
  ASSERT_TRUE(cluster_.Remove(Leases(), kKey));
  EXPECT_TRUE(a_.Try());
  EXPECT_EQ(Spec()["holderIdentity"], "a");
}

TEST_F(LeaseTest, DeletionAllowsNoSecondWriter) {
  ASSERT_TRUE(a_.Try());
  EXPECT_FALSE(b_.Try());
  Advance(2'000);
  ASSERT_TRUE(cluster_.Remove(Leases(), kKey));
  EXPECT_FALSE(b_.Try()) << "a does not know yet, and writes";
  EXPECT_TRUE(b_.tried) << b_.tried.error().message;
  EXPECT_TRUE(a_.Try());
  EXPECT_EQ(Spec()["holderIdentity"], "a");
  EXPECT_TRUE(Spec().contains("acquireTime"));
  EXPECT_FALSE(b_.Try());
  ASSERT_TRUE(cluster_.Remove(Leases(), kKey));  // and a makes no further try
  b_.clock.Advance(15'001);
  EXPECT_TRUE(b_.Try());
  EXPECT_EQ(Spec()["leaseTransitions"], 1);
}

TEST_F(LeaseTest, FractionOfASecondFavorsTheHolder) {
  Lease odd(a_.lease_client, {.key = kKey, .identity = "a", .duration_ms = 4'500, .seed = 1},
            a_.clock);
  ASSERT_TRUE(odd.Try());
  EXPECT_EQ(Spec()["leaseDurationSeconds"], 5);
}

TEST_F(LeaseTest, KnowsHowLongItHasFailed) {
  EXPECT_EQ(a_.lease.FailingMs(), 0);
  cluster_.Inject({"", "leases", 403, 0, false, 2});
  EXPECT_FALSE(a_.Try());
  Advance(20'000);
  EXPECT_FALSE(a_.Try());
  Advance(11'000);
  EXPECT_EQ(a_.lease.FailingMs(), 31'000);
  EXPECT_TRUE(a_.Try());
  EXPECT_EQ(a_.lease.FailingMs(), 0);
}

TEST_F(LeaseTest, MalformedRecordIsReplaced) {
  PutSpec({{"holderIdentity", 7}, {"leaseDurationSeconds", "x"}});
  EXPECT_TRUE(a_.Try());
  EXPECT_EQ(Spec()["holderIdentity"], "a");
}

// Three replicas with process pauses, lost calls and lost answers: at no time do two of them hold
// the Lease.
TEST(LeaseInvariant, NeverHasTwoHolders) {
  const char* given = std::getenv("AGENT_MEMORY_TEST_SEED");
  const uint64_t seed = given ? std::stoull(given) : std::random_device{}();
  SCOPED_TRACE("AGENT_MEMORY_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed + 1);
  auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  int64_t failed_renewals = 0, transitions = 0;
  for (int round = 0; round < 10; ++round) {
    ::testing::FakeCluster cluster;
    std::vector<std::unique_ptr<Replica>> replicas;
    for (uint64_t i = 0; i < 3; ++i)
      replicas.push_back(
          std::make_unique<Replica>(cluster, std::string(1, "abc"[i]), seed + i + 1));
    int64_t next_ms[3] = {0, 0, 0};
    for (int64_t now_ms = 0; now_ms < 300'000; now_ms += 100) {
      for (auto& replica : replicas) replica->clock.Advance(100);
      const size_t i = random() % 3;
      if (now_ms >= next_ms[i]) {
        if (chance(20)) cluster.Inject({"", "leases", 0, 0, chance(50)});
        const bool held = replicas[i]->lease.Holds();
        if (!replicas[i]->lease.Try() && held) ++failed_renewals;
        cluster.ClearFaults();
        next_ms[i] = now_ms + replicas[i]->lease.NextTryMs();
        if (chance(5)) next_ms[i] += static_cast<int64_t>(random() % 40'000);  // a paused process
        if (chance(2)) (void)replicas[i]->lease.Release();
      }
      int holders = 0;
      for (auto& replica : replicas) holders += replica->lease.Holds();
      ASSERT_LE(holders, 1) << "round " << round << " at " << now_ms;
    }
    transitions += (*cluster.Get(Leases(), kKey))["spec"]["leaseTransitions"].get<int64_t>();
  }
  EXPECT_GT(failed_renewals, 0);
  EXPECT_GT(transitions, 0);
}

}  // namespace
}  // namespace kube
