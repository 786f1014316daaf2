// MemoryServers with PostgreSQL in the controller, on the fake API server and on a real one, which
// fills in its defaults and judges the fields. The test plays the controllers of Deployments and
// the kubelet.
#include <gtest/gtest.h>

#include "lib/base/process/clock.h"
#include "operator/controller_fixture.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

constexpr const char* kOfSqlite = "{}";
constexpr const char* kTwoReplicas =
    "{replicas: 2, store: {postgres: {secretRef: {name: pg}, key: uri}}}";
constexpr const char* kThreeReplicas =
    "{replicas: 3, store: {allowChange: true, postgres: {secretRef: {name: pg}, key: uri}}}";

std::string ServerYaml(const std::string& spec) {
  return "{apiVersion: agents.agentops.io/v1alpha1, kind: MemoryServer, metadata: {name: s}, "
         "spec: " +
         spec + "}";
}

class PostgresStory : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    real_ = std::string(GetParam()) == "ApiServer";
    if (real_ && !std::getenv("AGENT_MEMORY_TEST_KUBECONFIG"))
      GTEST_SKIP()
          << "AGENT_MEMORY_TEST_KUBECONFIG is not set (e2e/cluster/up --api-only prints one)";
    server_ = std::make_unique<Server>(real_);
    for (const kube::Resource* kind : {&Deployments(), &ReplicaSets()})
      if (server_->fake()) server_->fake()->Serve(*kind);
    controller_ = Begin(*server_);
  }
  Json See(const kube::Resource& kind) { return server_->See(kind, "s"); }
  bool Becomes(const std::string& type, const std::string& wanted) {
    const bool done =
        Eventually([&] { return server_->Condition("s", type, MemoryServers()) == wanted; },
                   server_->soon_ms());
    EXPECT_TRUE(done) << See(MemoryServers())["status"];
    return done;
  }
  bool Replicas(const kube::Resource& kind, int wanted) {
    return Eventually(
        [&] {
          const Json object = See(kind);
          return !object.is_null() && object["spec"]["replicas"] == wanted;
        },
        server_->soon_ms());
  }
  Json Make(const kube::Resource& kind, Json object, const std::string& name, const Json& owner) {
    object["apiVersion"] = kind.ApiVersion();
    object["kind"] = kind.kind;
    object["metadata"]["name"] = name;
    object["metadata"]["namespace"] = server_->name_space();
    object["metadata"]["labels"][kServerLabel] = "s";
    if (!owner.is_null())
      object["metadata"]["ownerReferences"] = {kube::ControllerReference(owner)};
    auto made = server_->theirs().Create(kind, object);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : Json();
  }
  // The Deployment's controller, as far as its status: all replicas are of the present template.
  void Report(int replicas) {
    Json deployment = See(Deployments());
    const Json seen = {{"observedGeneration", kube::GenerationOf(deployment)},
                       {"replicas", replicas},
                       {"updatedReplicas", replicas}};
    ASSERT_TRUE(server_->theirs().MergePatch(Deployments(), {server_->name_space(), "s"},
                                             {{"status", seen}}, "status"));
  }
  // A pod of the Deployment that the kubelet cannot start.
  Json PendingPod() {
    const Json deployment = See(Deployments());
    Json of_set = {{"spec",
                    {{"replicas", 0},
                     {"selector", {{"matchLabels", {{kServerLabel, "s"}}}}},
                     {"template", deployment["spec"]["template"]}}}};
    const Json set = Make(ReplicaSets(), of_set, "s-1", deployment);
    Json pod = {
        {"spec",
         {{"serviceAccountName", "s"}, {"containers", {{{"name", "server"}, {"image", "i"}}}}}}};
    return Make(kube::Pods(), pod, "s-1-a", set);
  }

  bool real_ = false;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Controller> controller_;
};
INSTANTIATE_TEST_SUITE_P(On, PostgresStory, testing::Values("FakeCluster", "ApiServer"),
                         [](const auto& of) { return of.param; });

TEST_P(PostgresStory, ReplicasFollowTheSpecAndRestartWritesNothing) {
  server_->Give(ServerYaml(kTwoReplicas));
  ASSERT_TRUE(Replicas(Deployments(), 2));
  ASSERT_TRUE(Becomes("Ready", "False Progressing"));
  EXPECT_TRUE(See(kube::StatefulSets()).is_null());
  EXPECT_EQ(kube::ControllerOf(See(Deployments())).kind, "MemoryServer") << "it is deleted with it";
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller_); }));
  controller_.reset();
  const int64_t before = server_->writes();
  controller_ = Begin(*server_);
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller_); }));
  EXPECT_EQ(server_->writes(), before);
  server_->Give(ServerYaml(kThreeReplicas));
  EXPECT_TRUE(Replicas(Deployments(), 3));
  EXPECT_EQ(See(kube::PodDisruptionBudgets())["spec"]["maxUnavailable"], 1);
  ASSERT_TRUE(server_->theirs().MergePatch(Deployments(), {server_->name_space(), "s"},
                                           {{"spec", {{"replicas", 1}}}}));
  EXPECT_TRUE(Replicas(Deployments(), 3)) << "an edit by hand is reverted";
}

TEST_P(PostgresStory, SecretThatThePodLacksIsNamed) {
  server_->Give(ServerYaml("{store: {postgres: {secretRef: {name: pg}, key: uri}}}"));
  ASSERT_TRUE(Replicas(Deployments(), 1));
  const Json pod = PendingPod();
  Report(1);
  const Json event = {
      {"reportingController", "kubelet"},
      {"reportingInstance", "node"},
      {"action", "Mount"},
      {"type", "Warning"},
      {"reason", "FailedMount"},
      {"eventTime", base::FormatTime(base::SystemClock().NowMs()).substr(0, 19) + ".000000Z"},
      {"note",
       "MountVolume.SetUp failed for volume \"store\" : references non-existent "
       "secret key: uri"},
      {"regarding",
       {{"kind", "Pod"},
        {"namespace", server_->name_space()},
        {"name", "s-1-a"},
        {"uid", kube::UidOf(pod)}}}};
  Make(kube::Events(), event, "s-1-a.mount", Json());
  ASSERT_TRUE(Becomes("StoreReady", "False SecretKeyNotFound"));
  ASSERT_TRUE(Becomes("Ready", "False SecretKeyNotFound"));
  const std::string status = base::DumpJson(See(MemoryServers())["status"]);
  EXPECT_NE(status.find("Secret " + server_->name_space() + "/pg has no key uri"),
            std::string::npos)
      << status;
}

TEST_P(PostgresStory, StoreIsChangedOnlyWithAWordAndOneAfterTheOther) {
  server_->Give(ServerYaml(kOfSqlite));
  ASSERT_TRUE(Replicas(kube::StatefulSets(), 1));
  auto silent = ReadObjects(ServerYaml(kTwoReplicas), server_->name_space()).value().at(0);
  if (real_) {
    kube::ApplyOptions force;
    force.force = true;
    const auto refused = server_->theirs().Apply(MemoryServers(), silent, force);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("agent-memory-server migrate"), std::string::npos)
        << refused.error().message;
  } else {
    server_->fake()->Put(silent);
    ASSERT_TRUE(Becomes("Stalled", "True StoreNotMigrated"));
  }
  EXPECT_TRUE(See(Deployments()).is_null());
  EXPECT_TRUE(Replicas(kube::StatefulSets(), 1));

  server_->Give(ServerYaml(kThreeReplicas));
  ASSERT_TRUE(Replicas(kube::StatefulSets(), 0)) << "it keeps the volume";
  ASSERT_TRUE(Replicas(Deployments(), 3));
  server_->Give(ServerYaml("{store: {allowChange: true}}"));
  ASSERT_TRUE(Replicas(kube::StatefulSets(), 1));
  EXPECT_TRUE(See(Deployments()).is_null());
  ASSERT_TRUE(Becomes("Stalled", "False Progressing"));
}

TEST_P(PostgresStory, TwoReplicasOfSqliteAreRefused) {
  if (!real_) GTEST_SKIP() << "the fake API server judges no fields";
  const Json server = ReadObjects(ServerYaml(kTwoReplicas), server_->name_space()).value().at(0);
  Json wrong = server;
  wrong["spec"].erase("store");
  kube::ApplyOptions force;
  force.force = true;
  const auto refused = server_->theirs().Apply(MemoryServers(), wrong, force);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("set spec.store.postgres"), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace controller
