// The life of the webhook's certificates: first start with three replicas, rotation, 300 days, a
// deleted Secret. A real TLS client connects throughout and trusts the published bundle, like the
// API server.
#include "operator/admission/certificate_keeper.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "lib/base/text/base64.h"
#include "lib/http/server/server.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/fake_cluster.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kDayMs = 86'400'000;
const kube::ObjectKey kSecret{"agents", "webhook"};
const kube::ObjectKey kConfiguration{"", "hook"};

// Real dates, since the client's clock is real: the fake clock begins 300 days ago.
int64_t LongAgoMs() { return base::SystemClock().NowMs() - 300 * kDayMs; }

// One replica: its listener, and the keeper of its certificate.
struct Replica {
  Replica(kube::KubeClient& client, const base::Clock& clock, int64_t life_ms,
          std::function<bool()> may_write)
      : keeper(client, *identity,
               {kSecret,
                {{MutatingWebhooks(), kConfiguration.name}},
                {{"127.0.0.1", "operator.agents.svc"}, life_ms},
                std::move(may_write),
                [this](double days) { days_left = days; }},
               clock) {
    http::ServerOptions options;
    options.tls = identity;
    server =
        http::Server::Start(
            http::Router({{"GET", "/",
                           [](const http::Request&) { return http::TextResponse(200, "here"); }}}),
            options)
            .value();
  }
  std::shared_ptr<http::TlsIdentity> identity = std::make_shared<http::TlsIdentity>();
  std::atomic<double> days_left = 0;
  CertificateKeeper keeper;
  std::unique_ptr<http::Server> server;
};

class CertificateKeeperTest : public testing::Test {
 protected:
  CertificateKeeperTest() : clock_(LongAgoMs()), client_(cluster_, Settings()) {
    char name[] = "/tmp/keeper-XXXXXX";
    EXPECT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    cluster_.Serve(Secrets());
    cluster_.Serve(MutatingWebhooks());
    cluster_.Put({{"apiVersion", MutatingWebhooks().ApiVersion()},
                  {"kind", MutatingWebhooks().kind},
                  {"metadata", {{"name", kConfiguration.name}}},
                  {"webhooks",
                   {{{"name", "inject.example"},
                     {"failurePolicy", "Fail"},
                     {"clientConfig", {{"url", "https://127.0.0.1:1/mutate"}}}}}}},
                 "helm");
  }
  ~CertificateKeeperTest() override { std::filesystem::remove_all(folder_); }

  static kube::ClientSettings Settings() {
    kube::ClientSettings settings;
    settings.field_manager = "ours";
    return settings;
  }
  Replica& Add(std::function<bool()> may_write = nullptr, int64_t life_ms = 365 * kDayMs) {
    return *replicas_.emplace_back(
        std::make_unique<Replica>(client_, clock_, life_ms, std::move(may_write)));
  }
  std::string Bundle() {
    const Json webhook = (*cluster_.Get(MutatingWebhooks(), kConfiguration))["webhooks"][0];
    return base::DecodeBase64(base::StringAt(webhook, {"clientConfig", "caBundle"})).value_or("");
  }
  Certificates Held() { return CertificatesOf(*cluster_.Get(Secrets(), kSecret)); }
  // A call like the API server's: on a new connection that trusts only the published bundle.
  std::string Call(const Replica& replica) {
    http::ClientOptions options;
    options.base_url = "https://" + replica.server->address();
    options.ca_file = folder_ + "/ca" + std::to_string(++files_);
    std::ofstream(options.ca_file) << Bundle();
    auto client = http::MakeClient(options);
    if (!client) return client.error().message;
    http::ClientRequest request;
    request.target = "/";
    const auto answer = (*client)->Send(request);
    return answer ? answer->body : answer.error().message;
  }
  // One round of each replica. After each, every replica that is ready must be reachable.
  void Round() {
    for (const auto& one : replicas_) {
      one->keeper.Round();
      for (const auto& all : replicas_)
        if (all->keeper.Ready()) {
          EXPECT_EQ(Call(*all), "here");
        }
    }
  }
  void Settle() {
    for (int i = 0; i < 4; ++i) Round();
    for (const auto& one : replicas_) {
      const base::Status ready = one->keeper.Ready();
      EXPECT_TRUE(ready) << ready.error().message;
    }
  }

  testing::FakeClock clock_;
  testing::FakeCluster cluster_;
  kube::KubeClient client_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::string folder_;
  int files_ = 0;
};

TEST_F(CertificateKeeperTest, ConcurrentReplicasPresentOneCertificate) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) Add();
  for (const auto& replica : replicas_)
    threads.emplace_back([&replica] {
      for (int i = 0; i < 200 && !replica->keeper.Ready(); ++i) replica->keeper.Round();
    });
  threads.clear();
  Settle();
  int made = 0;
  for (const testing::Call& call : cluster_.calls())
    made += call.verb == "CREATE" && call.path.ends_with("/secrets") && call.status == 201;
  EXPECT_EQ(made, 1);
  EXPECT_EQ(CertificatesIn(Bundle()).size(), 1u);
  EXPECT_EQ(FaultOf(Held().serving, {"127.0.0.1", "operator.agents.svc"}), "");
  EXPECT_EQ(FaultOf(Held().serving, {"other.agents.svc"}),
            "its certificate is not for other.agents.svc");
}

TEST_F(CertificateKeeperTest, FollowersWaitForTheLeader) {
  Replica& standby = Add([] { return false; });
  standby.keeper.Round();
  EXPECT_NE(standby.keeper.Ready().error().message.find("the leader makes Secret agents/webhook"),
            std::string::npos);
  EXPECT_EQ(cluster_.mutations(), 0u);
  Add();
  Settle();
  EXPECT_EQ(Call(standby), "here");
}

// The leader has a version without certificates, and leads until its successor is ready.
TEST_F(CertificateKeeperTest, LeaderWithoutWebhookDelaysNoSuccessor) {
  Replica& successor = Add([] { return false; });
  successor.keeper.Round();
  EXPECT_FALSE(successor.keeper.Ready());
  clock_.Advance(21'000);
  successor.keeper.Round();
  EXPECT_TRUE(successor.keeper.Ready());
  Replica& leader = Add();
  for (int i = 0; i < 3; ++i) leader.keeper.Round();
  for (int i = 0; i < 3; ++i) successor.keeper.Round();
  EXPECT_TRUE(successor.keeper.Ready());
  EXPECT_EQ(Call(successor), "here");
}

TEST_F(CertificateKeeperTest, RotationRefusesNoRequest) {
  Add();
  Add([] { return false; });
  Settle();
  const ServingPair first = Held().serving;
  EXPECT_NEAR(replicas_[0]->days_left, 365, 0.1);
  clock_.Advance(243 * kDayMs);
  Settle();
  EXPECT_EQ(Held().serving, first) << "two thirds are not over";
  EXPECT_FALSE(Held().next);
  clock_.Advance(57 * kDayMs);
  Settle();
  ASSERT_TRUE(Held().next);
  EXPECT_EQ(Held().serving, first) << "its successor is published first";
  EXPECT_EQ(Bundle(), Held().next->authority + first.authority);
  clock_.Advance(600'000);
  Settle();
  EXPECT_NE(Held().serving, first);
  EXPECT_FALSE(Held().next);
  EXPECT_EQ(Bundle(), Held().serving.authority + first.authority) << "some may still show the old";
  for (const auto& replica : replicas_) EXPECT_NEAR(replica->days_left, 365, 0.1);
}

TEST_F(CertificateKeeperTest, DeletedSecretIsRestoredUnchanged) {
  Add();
  Add([] { return false; });
  Settle();
  const Certificates held = Held();
  cluster_.Remove(Secrets(), kSecret);
  Settle();
  EXPECT_EQ(Held(), held);
}

TEST_F(CertificateKeeperTest, LostSecretIsRecreatedAndOldAuthorityStaysTrusted) {
  Replica& standby = Add([] { return false; });
  auto leader = std::make_unique<Replica>(client_, clock_, 365 * kDayMs, nullptr);
  for (int i = 0; i < 3; ++i) leader->keeper.Round();
  Settle();
  const ServingPair first = Held().serving;
  leader.reset();
  cluster_.Remove(Secrets(), kSecret);
  Add();
  replicas_.back()->keeper.Round();
  EXPECT_EQ(Bundle(), Held().serving.authority + first.authority);
  EXPECT_EQ(Call(standby), "here") << "it has not heard of the new one";
  Settle();
  EXPECT_NE(Held().serving, first);
}

TEST_F(CertificateKeeperTest, UntrustedCertificateIsNotPresented) {
  Replica& standby = Add([] { return false; });
  Add();
  Settle();
  Certificates other = Held();
  other.serving = MakeServingPair({"127.0.0.1"}, clock_.NowMs(), 365 * kDayMs).value();
  Json secret = *cluster_.Get(Secrets(), kSecret);
  secret["data"] = SecretFields(other);
  cluster_.Put(secret);
  standby.keeper.Round();
  EXPECT_EQ(Call(standby), "here") << "its bundle is not published";
}

TEST_F(CertificateKeeperTest, DamagedOrExpiredSecretIsReplaced) {
  Add();
  Settle();
  const ServingPair first = Held().serving;
  Json secret = *cluster_.Get(Secrets(), kSecret);
  secret["data"]["tls.key"] = base::EncodeBase64("no key");
  cluster_.Put(secret);
  Settle();
  EXPECT_NE(Held().serving, first);
  EXPECT_EQ(FaultOf(Held().serving, {"127.0.0.1"}), "");
  const ServingPair second = Held().serving;
  clock_.Advance(366 * kDayMs);
  for (int i = 0; i < 3; ++i) replicas_[0]->keeper.Round();
  EXPECT_NE(Held().serving, second);
}

TEST_F(CertificateKeeperTest, OnlyTheBundleOfTheConfigurationIsWritten) {
  Add();
  Settle();
  const Json configuration = *cluster_.Get(MutatingWebhooks(), kConfiguration);
  EXPECT_EQ(configuration["webhooks"][0]["failurePolicy"], "Fail");
  for (const testing::Call& call : cluster_.calls()) {
    if (call.verb != "APPLY") continue;
    EXPECT_EQ(call.query.at("fieldManager"), "ours");
    EXPECT_EQ(call.body["webhooks"].size(), 1u);
    EXPECT_EQ(call.body["webhooks"][0].size(), 2u);
    EXPECT_EQ(call.body["webhooks"][0]["clientConfig"].size(), 1u);
  }
  cluster_.ForgetCalls();
  Settle();
  EXPECT_EQ(cluster_.mutations(), 0u) << "settled, nothing is written";
  cluster_.Remove(MutatingWebhooks(), kConfiguration);
  replicas_[0]->keeper.Round();
  EXPECT_NE(replicas_[0]->keeper.Ready().error().message.find("hook"), std::string::npos);
}

}  // namespace
}  // namespace controller
