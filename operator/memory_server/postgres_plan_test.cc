// Plans of MemoryServers with PostgreSQL: replicas instead of a volume, missing Secrets, and the
// way from one store to the other, which nobody takes by accident.
#include "operator/memory_server/memory_server_fixture.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

constexpr const char* kTwo = "{replicas: 2, store: {postgres: {secretRef: {name: pg}, key: uri}}}";
constexpr const char* kOne = "{store: {postgres: {secretRef: {name: pg}, key: uri}}}";

bool Has(const Json& list, const std::string& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

void Change(Served& server, const std::string& spec) {
  server.observed.server["spec"] = ServerOf(spec)["spec"];
  server.observed.server["metadata"]["generation"] = kube::GenerationOf(server.observed.server) + 1;
}

TEST(PostgresPlan, ReplicasHaveNoVolume) {
  ObservedServer nothing;
  nothing.server = ServerOf(kTwo);
  EXPECT_EQ(KindsIn(MakeServerPlan(nothing, {}, kServerNow)),
            (std::vector<std::string>{"ServiceAccount", "Service", "NetworkPolicy",
                                      "PodDisruptionBudget", "Deployment"}));
  Served server(kTwo);
  const Json& spec = server.deployment()["spec"];
  EXPECT_EQ(spec["replicas"], 2);
  EXPECT_EQ(spec["strategy"]["rollingUpdate"]["maxUnavailable"], 0);
  const Json& pod = spec["template"]["spec"];
  EXPECT_EQ(pod["topologySpreadConstraints"][0]["topologyKey"], "kubernetes.io/hostname");
  const Json& args = pod["containers"][0]["args"];
  EXPECT_TRUE(Has(args, "--store=postgres")) << args;
  EXPECT_TRUE(Has(args, "--dsn-file=/etc/agent-memory/store/uri")) << args;
  EXPECT_TRUE(Has(args, "--require-sync=true")) << args;
  EXPECT_EQ(base::DumpJson(pod).find("persistentVolumeClaim"), std::string::npos);
  for (const Json& volume : pod["volumes"])
    EXPECT_TRUE(volume.contains("projected") || volume["emptyDir"].contains("sizeLimit")) << volume;
  const Json& mount = pod["containers"][0]["volumeMounts"].back();
  EXPECT_FALSE(mount.contains("subPath")) << "a rotated Secret would not reach the server";
  EXPECT_EQ((server.observed.children[{"PodDisruptionBudget", "s"}]["spec"]["maxUnavailable"]), 1);
  EXPECT_FALSE(
      (server.observed.children[{"Service", "s"}]["spec"].contains("publishNotReadyAddresses")));
  EXPECT_NE(base::DumpJson(server.observed.children[{"NetworkPolicy", "s"}]["spec"]["egress"])
                .find("5432"),
            std::string::npos);
}

TEST(PostgresPlan, SynchronousStandbyIsRequiredOfSeveralOrAsSaid) {
  const auto says = [](const std::string& spec, const char* argument) {
    return Has(Served(spec).deployment()["spec"]["template"]["spec"]["containers"][0]["args"],
               argument);
  };
  EXPECT_TRUE(says(kOne, "--require-sync=false"));
  EXPECT_TRUE(says("{store: {postgres: {secretRef: {name: pg}, key: uri, requireSync: true}}}",
                   "--require-sync=true"));
  EXPECT_TRUE(
      says("{replicas: 2, store: {postgres: {secretRef: {name: pg}, key: uri, "
           "requireSync: false}}}",
           "--require-sync=false"));
}

TEST(PostgresPlan, ContradictionsAreRefusedWithTheRemedy) {
  const auto refused = [](const Json& spec, const std::string& words) {
    Served server;
    server.observed = {};
    server.observed.server = ServerOf();
    server.observed.server["spec"] = spec;
    const Plan plan = server.Look();
    EXPECT_TRUE(server.observed.children.empty());
    EXPECT_EQ(server.Condition("Ready"), "False InvalidMemoryServer");
    EXPECT_NE(server.Message("Ready").find(words), std::string::npos) << server.Message("Ready");
    ASSERT_FALSE(plan.events.empty());
    EXPECT_EQ(plan.events[0].reason, "InvalidMemoryServer");
  };
  refused({{"replicas", 2}}, "set spec.store.postgres: {secretRef");
  refused({{"replicas", 2}, {"store", {{"postgres", nullptr}}}}, "set spec.store.postgres");
  refused({{"store", {{"postgres", {{"key", "uri"}}}}}}, "needs secretRef.name and key");
  refused({{"store", {{"postgres", {{"secretRef", {{"name", "pg"}}}}}}}},
          "needs secretRef.name and key");
  refused(
      {{"store",
        {{"postgres",
          {{"secretRef", {{"name", "pg"}}}, {"key", "uri"}, {"caSecretRef", {{"name", "ca"}}}}}}}},
      "caSecretRef needs name and key");
}

TEST(PostgresPlan, ReadyIfEveryReplicaIs) {
  Served server(kTwo);
  EXPECT_EQ(server.Condition("Ready"), "False Progressing");
  server.RollReplicas(2, /*unready=*/1);
  server.Says(7);
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "False Progressing");
  EXPECT_EQ(server.Message("Ready"), "False 1 of 2 replicas are ready");
  EXPECT_EQ(server.status()["readyReplicas"], 1);
  server.RollReplicas(2);
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
  EXPECT_EQ(server.Condition("UpToDate"), "True Current");
  EXPECT_EQ(server.Condition("StoreReady"), "True Ready");
  EXPECT_EQ(server.Condition("VolumeReady"), "(none)");
  EXPECT_EQ(server.status()["replicas"], 2);
  EXPECT_EQ(server.status()["readyReplicas"], 2);
  EXPECT_EQ(server.status()["store"], "postgres");
  EXPECT_EQ(server.status()["image"], "agent-memory/server:dev");
  EXPECT_NE(server.Message("StoreReady").find("on a synchronous standby"), std::string::npos);
  EXPECT_TRUE(server.Look().IsEmpty());
}

TEST(PostgresPlan, ChangedReplicasReachTheDeployment) {
  Served server(kOne);
  server.RollReplicas(1);
  server.Says(1);
  server.Look();
  EXPECT_FALSE(server.observed.children.contains({"PodDisruptionBudget", "s"}))
      << "of one replica it would block every drain";
  Change(server, "{replicas: 3, store: {postgres: {secretRef: {name: pg}, key: uri}}}");
  server.Look();
  EXPECT_EQ(server.deployment()["spec"]["replicas"], 3);
  EXPECT_TRUE(server.observed.children.contains({"PodDisruptionBudget", "s"}));
  EXPECT_EQ(server.Condition("Ready"), "False Progressing");
  server.RollReplicas(3);
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
  Change(server, kOne);
  EXPECT_EQ(server.Look().remove.size(), 1u) << "the budget";
  EXPECT_EQ(server.deployment()["spec"]["replicas"], 1);
}

TEST(PostgresPlan, MissingSecretOrKeyIsNamed) {
  Served server(kOne);
  server.RollReplicas(1, /*unready=*/1);
  server.now_ms += 10'000;
  ASSERT_EQ(server.Look().suspects.at(0).kind, "Pod");
  server.observed.causes = {{"Pod", "FailedMount",
                             "Pod s-1-0: FailedMount: MountVolume.SetUp failed for volume "
                             "\"store\" : secret \"pg\" not found"}};
  Plan plan = server.Look();
  EXPECT_EQ(server.Condition("StoreReady"), "False SecretNotFound");
  EXPECT_EQ(server.Condition("Ready"), "False SecretNotFound");
  EXPECT_NE(server.Message("Ready").find("Secret agents/pg does not exist: create it with key uri"),
            std::string::npos)
      << server.Message("Ready");
  ASSERT_FALSE(plan.events.empty());
  EXPECT_EQ(plan.events[0].reason, "SecretNotFound");
  server.observed.causes[0].message =
      "Pod s-1-0: FailedMount: MountVolume.SetUp failed for volume \"store\" : references "
      "non-existent secret key: uri";
  plan = server.Look();
  EXPECT_EQ(server.Condition("StoreReady"), "False SecretKeyNotFound");
  EXPECT_NE(plan.events.at(0).note.find("Secret agents/pg has no key uri"), std::string::npos);
  server.observed.causes.clear();
  server.RollReplicas(1);
  server.Says(1);
  plan = server.Look();
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
  EXPECT_FALSE(plan.events.at(0).warning);
}

TEST(PostgresPlan, FaultOfTheDatabaseIsTheServersWords) {
  Served server(kOne);
  server.RollReplicas(1, /*unready=*/1);
  server.Says(0, 0, "no synchronous standby is attached");
  server.Look();
  EXPECT_EQ(server.Condition("StoreReady"), "False ServerNotReady");
  EXPECT_NE(server.Message("Ready").find("no synchronous standby is attached"), std::string::npos);
}

TEST(PostgresPlan, RefusedPodsAreExplainedByTheDeployment) {
  Served server(kOne);
  server.deployment()["status"] = {
      {"observedGeneration", kube::GenerationOf(server.deployment())},
      {"conditions",
       {{{"type", "ReplicaFailure"},
         {"status", "True"},
         {"reason", "FailedCreate"},
         {"message", "pods \"s-x\" is forbidden: exceeded quota: tight, requested: pods=1"}}}}};
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "False FailedCreate");
  EXPECT_NE(server.Message("Ready").find("raise ResourceQuota tight"), std::string::npos);
}

TEST(PostgresPlan, ChangeOfTheStoreWaitsForAWord) {
  Served server;
  server.Roll();
  server.Says(7);
  server.Look();
  ASSERT_EQ(server.status()["store"], "sqlite");
  Change(server, kTwo);
  Plan plan = server.Look();
  EXPECT_TRUE(plan.apply.empty() && plan.remove.empty()) << "SQLite goes on";
  EXPECT_EQ(server.Condition("Stalled"), "True StoreNotMigrated");
  EXPECT_EQ(server.Condition("Ready"), "False StoreNotMigrated");
  EXPECT_EQ(server.status()["store"], "sqlite");
  for (const char* words : {"claim data-s-0", "agent-memory-server migrate", "allowChange: true"})
    EXPECT_NE(server.Message("Stalled").find(words), std::string::npos) << words;
  ASSERT_FALSE(plan.events.empty());
  EXPECT_EQ(plan.events[0].reason, "StoreNotMigrated");
}

TEST(PostgresPlan, LeftVolumeOfAnEarlierServerWaitsForAWordToo) {
  ObservedServer observed;
  observed.server = ServerOf(kOne);
  observed.claim = Json::parse(R"({"metadata": {"name": "data-s-0", "namespace": "agents",
      "uid": "uid-claim", "creationTimestamp": "2026-01-01T00:00:00Z"}})");
  Plan plan = MakeServerPlan(observed, {}, kServerNow);
  EXPECT_TRUE(plan.apply.empty());
  EXPECT_TRUE(plan.patch.empty());
  observed.server =
      ServerOf("{store: {allowChange: true, postgres: {secretRef: {name: pg}, key: uri}}}");
  plan = MakeServerPlan(observed, {}, kServerNow);
  EXPECT_EQ(KindsIn(plan).back(), "Deployment");
  EXPECT_TRUE(plan.remove.empty());
}

TEST(PostgresPlan, OneStoreEndsBeforeTheOtherBegins) {
  Served server("{storage: {size: 7Gi, retain: false}}");
  server.Roll();
  server.Says(7);
  server.Look();
  Change(server, "{store: {allowChange: true, postgres: {secretRef: {name: pg}, key: uri}}}");
  server.Look();
  EXPECT_EQ(server.set()["spec"]["replicas"], 0);
  EXPECT_EQ(
      (server.set()["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"]),
      "7Gi")
      << "which is immutable";
  EXPECT_FALSE(server.observed.children.contains({"Deployment", "s"})) << "a pod of SQLite writes";
  EXPECT_EQ(server.Condition("Ready"), "False Progressing");
  EXPECT_EQ(server.status()["store"], "sqlite");
  server.observed.pods.clear();
  server.observed.report.reset();
  Plan plan = server.Look();
  EXPECT_EQ(KindsIn(plan), std::vector<std::string>{"Deployment"});
  EXPECT_TRUE(plan.remove.empty()) << "the StatefulSet keeps the volume";
  EXPECT_EQ(server.status()["store"], "postgres");
  server.RollReplicas(1);
  server.Says(7);
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
  EXPECT_NE(server.Message("StoreReady").find("claim data-s-0 keeps what SQLite had"),
            std::string::npos);

  Change(server, "{storage: {size: 7Gi}}");
  EXPECT_TRUE(server.Look().remove.empty());
  EXPECT_EQ(server.Condition("Stalled"), "True StoreNotMigrated");
  Change(server, "{storage: {size: 7Gi}, store: {allowChange: true}}");
  plan = server.Look();
  EXPECT_EQ(plan.remove.size(), 1u);
  EXPECT_EQ(server.set()["spec"]["replicas"], 0) << "replicas of PostgreSQL write";
  server.observed.pods.clear();
  server.observed.replicas_end = true;
  server.Look();
  EXPECT_EQ(server.set()["spec"]["replicas"], 0);
  EXPECT_EQ(server.status()["store"], "postgres");
  server.observed.replicas_end = false;
  server.Look();
  EXPECT_EQ(server.set()["spec"]["replicas"], 1);
  EXPECT_EQ(server.status()["store"], "sqlite");
  server.observed.replicas_end = true;  // some pod with the label, of nobody's
  EXPECT_TRUE(server.Look().apply.empty());
}

TEST(PostgresPlan, ServingDeploymentStaysWhenTheStatefulSetIsScaledByHand) {
  Served server;
  server.Roll();
  server.Look();
  Change(server, "{store: {allowChange: true, postgres: {secretRef: {name: pg}, key: uri}}}");
  server.Look();
  const Json pod = server.observed.pods[0];
  server.observed.pods.clear();
  server.Look();
  server.RollReplicas(1);
  server.set()["spec"]["replicas"] = 1;
  server.observed.pods.push_back(pod);
  const Plan plan = server.Look();
  EXPECT_TRUE(plan.remove.empty());
  EXPECT_EQ(KindsIn(plan), std::vector<std::string>{"StatefulSet"});
  EXPECT_EQ(server.set()["spec"]["replicas"], 0);
}

}  // namespace
}  // namespace controller
