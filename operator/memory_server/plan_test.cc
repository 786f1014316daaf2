// Plans of MemoryServers: objects, volume, a new version, and the status.
#include "operator/memory_server/plan.h"

#include "operator/memory_server/memory_server_fixture.h"
#include "operator/objects/server_objects.h"

namespace controller {
namespace {

TEST(ServerPlan, ObjectsAreCreatedOnce) {
  ObservedServer nothing;
  nothing.server = ServerOf();
  EXPECT_EQ(KindsIn(MakeServerPlan(nothing, {}, kServerNow)),
            (std::vector<std::string>{"ServiceAccount", "Service", "NetworkPolicy", "StatefulSet"}))
      << "the workload last: its pod needs what stands in front of it";
  Served server;
  EXPECT_EQ(server.Condition("Ready"), "False Progressing");
  server.Look();
  server.Roll();
  server.Says(7);
  EXPECT_EQ(server.Look().patch.size(), 1u) << "the claim is marked as its own";
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
  EXPECT_EQ(server.Condition("Stalled"), "False Progressing");
  EXPECT_EQ(server.status()["observedGeneration"], 1);
  EXPECT_EQ(server.status()["url"], "http://s.agents.svc.cluster.local:7437");
  EXPECT_EQ(server.status()["rows"], 7);
  EXPECT_TRUE(server.Look().IsEmpty());
  EXPECT_GT(server.Look().requeue_after_ms, 0) << "nobody tells us of rows";
}

TEST(ServerPlan, MissingPodHasItsCause) {
  Served server;
  server.now_ms += 10'000;
  Plan plan = server.Look();
  ASSERT_EQ(plan.suspects.size(), 1u);
  EXPECT_EQ(plan.suspects[0].kind, "StatefulSet");
  server.set()["status"] = {{"observedGeneration", kube::GenerationOf(server.set())}};
  server.observed.causes = {{"StatefulSet", "FailedCreate", "quota"}};
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "False FailedCreate");
  EXPECT_EQ(server.Message("Ready"), "False quota");
  server.Roll(/*ready=*/false);
  server.observed.pods[0]["status"] = {{"phase", "Pending"}};
  server.observed.causes = {{"Pod", "FailedMount", "no Secret"}};
  EXPECT_EQ(server.Look().suspects.at(0).kind, "Pod");
  EXPECT_EQ(server.Condition("Ready"), "False FailedMount");
  server.observed.causes.clear();
  server.Roll();
  EXPECT_TRUE(server.Look().suspects.empty());
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
}

TEST(ServerPlan, ServiceAndAudienceAreThoseOfAgents) {
  Served server;
  const Json& service = server.observed.children[{"Service", "s"}];
  EXPECT_EQ(service["spec"]["ports"][0]["name"], "memory");
  EXPECT_EQ(service["spec"]["ports"][0]["port"], 7437);
  const std::string args = base::DumpJson(server.container()["args"]);
  EXPECT_NE(args.find("--audience=agent-memory.agents.s\""), std::string::npos) << args;
  EXPECT_NE(args.find("--auth=kubernetes"), std::string::npos) << args;
}

TEST(ServerPlan, DisabledObjectIsRemovedAndForeignOneStays) {
  Served server("{evictable: false, podMonitor: {enabled: true}}");
  for (const char* kind : {"PodDisruptionBudget", "PodMonitor", "NetworkPolicy"})
    EXPECT_TRUE(server.observed.children.contains({kind, "s"})) << kind;
  server.observed.server["spec"] = Json::parse(R"({"networkPolicy": {"enabled": false}})");
  Plan plan = server.Look();
  ASSERT_EQ(plan.remove.size(), 3u);
  for (const Removal& removal : plan.remove)
    EXPECT_EQ(removal.uid, "uid-" + removal.resource.plural) << "fenced";
  EXPECT_TRUE(server.Look().remove.empty());
  server.observed.children[{"PodDisruptionBudget", "s"}] = {{"metadata", {{"uid", "theirs"}}}};
  EXPECT_TRUE(server.Look().remove.empty());
  server.observed.server["spec"]["evictable"] = false;
  plan = server.Look();
  EXPECT_TRUE(plan.apply.empty());
  EXPECT_EQ(server.Condition("Stalled"), "True NameTaken");
  EXPECT_EQ(server.Condition("Ready"), "False NameTaken");
}

TEST(ServerPlan, HandEditIsRevertedAndForeignFieldsStay) {
  Served server;
  server.Roll();
  server.Says(1);
  server.Look();
  server.observed.children[{"Service", "s"}]["metadata"]["annotations"]
                          ["agents.agentops.io/allowed-namespaces"] = "other";
  EXPECT_TRUE(server.Look().IsEmpty()) << "a grant is not ours";
  server.set()["spec"]["replicas"] = 3;
  const Plan plan = server.Look();
  ASSERT_EQ(KindsIn(plan), std::vector<std::string>{"StatefulSet"});
  EXPECT_EQ(kube::UidOf(plan.apply[0].object), "uid-statefulsets") << "fenced";
}

TEST(ServerPlan, LeftoverVolumeNeedsAdopt) {
  Served server;
  server.observed.children.erase({"StatefulSet", "s"});
  server.observed.claim = Json::parse(R"({"metadata": {"name": "data-s-0", "namespace": "agents",
      "uid": "uid-claim", "creationTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Bound"}})");
  EXPECT_TRUE(server.Look().apply.empty());
  EXPECT_EQ(server.Condition("Stalled"), "True VolumeNotAdopted");
  EXPECT_EQ(server.Condition("VolumeReady"), "False VolumeNotAdopted");
  EXPECT_NE(server.Message("VolumeReady").find("kubectl patch memoryserver -n agents s"),
            std::string::npos);
  server.observed.server["spec"]["storage"] = {{"adopt", true}};
  EXPECT_EQ(KindsIn(server.Look()), std::vector<std::string>{"StatefulSet"});
  EXPECT_EQ(kube::AnnotationOf(*server.observed.claim, kRetainedFrom), "uid-s");
  EXPECT_EQ(server.set()["spec"]["persistentVolumeClaimRetentionPolicy"]["whenDeleted"], "Retain");
}

TEST(ServerPlan, VolumeOfSameNamedAgentIsUnchanged) {
  Served server("{storage: {adopt: true}}");
  server.observed.claim = Json::parse(R"({"metadata": {"name": "data-s-0", "namespace": "agents",
      "uid": "uid-claim", "creationTimestamp": "2026-01-01T00:00:00Z", "annotations":
      {"agents.agentops.io/retained-from": "uid-agent"}}, "status": {"phase": "Bound"}})");
  server.observed.children[{"StatefulSet", "s"}] = {{"metadata", {{"uid", "theirs"}}}};
  const Plan plan = server.Look();
  EXPECT_TRUE(plan.patch.empty()) << "its mark is the Agent's";
  EXPECT_EQ(server.Condition("Stalled"), "True NameTaken");
  EXPECT_EQ(server.Message("VolumeReady").find("kubectl delete pvc"), std::string::npos);
}

TEST(ServerPlan, NewImageIsReadyOnlyWithItsPod) {
  Served server;
  server.Roll();
  server.Says(1);
  server.Look();
  ASSERT_EQ(server.Condition("Ready"), "True Ready");
  server.observed.server["spec"]["image"] = "x:2";
  server.observed.server["metadata"]["generation"] = 2;
  server.Look();
  EXPECT_EQ(server.status()["observedGeneration"], 2);
  EXPECT_EQ(server.Condition("Ready"), "False Progressing") << "though the old pod is still ready";
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "False Progressing") << "its controller has not seen it";
  server.set()["status"] = {{"observedGeneration", 2}, {"updateRevision", "s-2"}};
  server.Look();
  EXPECT_EQ(server.Condition("UpToDate"), "False Progressing") << "the pod is of the old template";
  server.Roll(false);
  server.observed.report.reset();
  EXPECT_EQ(server.Look().requeue_after_ms, 2'000);
  EXPECT_EQ(server.Condition("Ready"), "False Progressing");
  EXPECT_EQ(server.status()["image"], "agent-memory/server:dev") << "what was ready last";
  server.Roll();
  server.Says(1);
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
  EXPECT_EQ(server.status()["image"], "x:2");
}

TEST(ServerPlan, RefusedDowngradeNamesTheRecordedImage) {
  Served server("{image: 'x:2'}");
  server.Roll();
  server.Says(1);
  server.Look();
  server.observed.server["spec"]["image"] = "x:1";
  server.Look();
  server.Roll(false);
  server.Fails(api::kNewerSchemaExitCode);
  const Plan plan = server.Look();
  EXPECT_EQ(server.Condition("Stalled"), "True NewerSchema");
  EXPECT_EQ(server.Condition("Ready"), "False NewerSchema");
  for (const char* words : {"image x:1", "nothing was changed or lost", "(schema 5)",
                            "kubectl patch memoryserver -n agents s", "\"image\":\"x:2\""})
    EXPECT_NE(server.Message("Stalled").find(words), std::string::npos)
        << server.Message("Stalled");
  ASSERT_FALSE(plan.events.empty());
  EXPECT_EQ(plan.events[0].reason, "NewerSchema");
  EXPECT_EQ(server.set()["spec"]["podManagementPolicy"], "Parallel")
      << "else the broken pod would have to be deleted by hand";
  server.observed.server["spec"]["image"] = "x:2";
  server.Look();
  server.Roll();
  server.Says(1);
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "True Ready");
  EXPECT_EQ(server.Condition("Stalled"), "False Progressing");
}

TEST(ServerPlan, FailingImageIsNotSuggested) {
  Served server("{image: 'x:1'}");
  server.Roll();
  server.Says(1);
  server.Look();
  ASSERT_EQ(base::StringAt(server.status(), {"image"}), "x:1");
  server.Roll(false);  // the tag now names an older image
  server.observed.report.reset();
  server.Fails(api::kNewerSchemaExitCode);
  server.Look();
  EXPECT_EQ(server.Condition("Stalled"), "True NewerSchema");
  EXPECT_EQ(server.Message("Stalled").find("kubectl patch"), std::string::npos)
      << server.Message("Stalled");
  EXPECT_NE(server.Message("Stalled").find("Set spec.image to the version that ran before"),
            std::string::npos);
}

TEST(ServerPlan, SilentServerIsPolledRarely) {
  Served server;
  server.Roll(false);
  EXPECT_LT(server.Look().requeue_after_ms, 60'000);
  server.observed.no_answer = true;
  EXPECT_EQ(server.Look().requeue_after_ms, 60'000);
}

TEST(ServerPlan, OtherFailureSuggestsNoDowngrade) {
  Served server;
  server.Roll(false);
  server.Fails(1);
  server.Look();
  EXPECT_EQ(server.Condition("Ready"), "False CrashLoopBackOff");
  EXPECT_EQ(server.Condition("Stalled"), "False Progressing");
  EXPECT_NE(base::StringAt(server.status(), {"lastError"}).find("container server of pod s-0"),
            std::string::npos);
}

TEST(ServerPlan, SmallChangesOfRowsWriteNothing) {
  Served server;
  server.Roll();
  server.Says(0, 100 << 20);
  server.Look();
  server.Says(1, 100 << 20);
  server.Look();
  EXPECT_EQ(server.status()["rows"], 1) << "the first one is no small move";
  server.Says(10'000, 100 << 20);
  server.Look();
  server.Says(10'400, 104 << 20);
  EXPECT_TRUE(server.Look().IsEmpty());
  server.Says(10'600, 104 << 20);
  ASSERT_TRUE(server.Look().status);
  EXPECT_EQ(server.status()["rows"], 10'600);
  EXPECT_EQ(server.status()["bytes"], 100 << 20);
  server.observed.report.reset();
  server.observed.report_fault = "timeout";
  server.Look();
  EXPECT_EQ(server.status()["rows"], 10'600) << "those of the last report";
  EXPECT_EQ(server.Condition("Degraded"), "True ServerNotAnswering");
  EXPECT_EQ(server.Condition("Ready"), "True Ready") << "the kubelet sees it";
}

TEST(ServerPlan, ReportedFaultStaysInStatus) {
  Served server;
  server.Roll(false);
  server.Says(1, 1, "the volume is full");
  server.Look();
  EXPECT_EQ(server.Condition("Degraded"), "True ServerNotReady");
  EXPECT_EQ(server.status()["lastError"], "the volume is full");
  server.Roll();
  server.Says(1);
  server.Look();
  EXPECT_EQ(server.Condition("Degraded"), "False AsSpecified");
  EXPECT_EQ(server.status()["lastError"], "the volume is full") << "the last one";
}

TEST(ServerPlan, RefusedAndUnservedKindsAreReported) {
  Served server;
  server.observed.server["spec"] = Json::parse(R"({"podMonitor": {"enabled": true},
      "storage": {"size": "20Gi"}, "projectGrants": [{"agents": ["a"], "projects": ["p"]}]})");
  server.Roll();
  Plan plan = MakeServerPlan(server.observed, {}, kServerNow);
  ASSERT_EQ(KindsIn(plan), std::vector<std::string>{"PodMonitor"})
      << "a claim's template cannot change: the workload stays";
  EXPECT_TRUE(plan.apply[0].may_be_unserved);
  server.observed.refused[kube::AnnotationOf(plan.apply[0].object, kIntentAnnotation)] = "no kind";
  EXPECT_TRUE(server.Look().apply.empty());
  for (const char* words : {"PodMonitors (monitoring.coreos.com/v1)", "spec.storage differs",
                            "not served by this version: projectGrants"})
    EXPECT_NE(server.Message("Degraded").find(words), std::string::npos)
        << server.Message("Degraded");
  EXPECT_EQ(server.Condition("Ready"), "True Ready") << "it serves";
}

TEST(ServerPlan, TokenCheckIsAConditionWithoutEvent) {
  Served server;
  server.Roll();
  server.Says(1);
  server.Look();
  EXPECT_EQ(server.Condition("TokensReviewed"), "True Reviewed");
  server.observed.report->by_keys = true;
  EXPECT_TRUE(server.Look().events.empty());
  EXPECT_EQ(server.Condition("TokensReviewed"), "False ByKeys");
  EXPECT_NE(server.Message("TokensReviewed").find("--serviceaccount=agents:s"), std::string::npos);
  EXPECT_EQ(Served("{auth: none}").Condition("TokensReviewed"), "(none)");
}

TEST(ServerPlan, InvalidOrDeletedServerIsUnchanged) {
  Served server;
  server.observed = {};
  server.observed.server = ServerOf();
  server.observed.server["spec"]["retention"] = 7;
  server.Look();
  EXPECT_EQ(server.Condition("Stalled"), "True InvalidMemoryServer");
  EXPECT_TRUE(server.observed.children.empty());
  server.observed.server = ServerOf();
  server.observed.server["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z";
  EXPECT_TRUE(MakeServerPlan(server.observed, {}, kServerNow).IsEmpty());
}

}  // namespace
}  // namespace controller
