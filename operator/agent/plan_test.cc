// Plans for existing objects: no change, a correction, a removal, a mark, a refusal.
#include "lib/base/process/clock.h"
#include "operator/agent/plan_fixture.h"

namespace controller {
namespace {

TEST(Plan, IsEmptyWithoutChanges) {
  Cluster cluster = Converged();
  Plan plan = cluster.Look();
  EXPECT_TRUE(plan.IsEmpty());
  EXPECT_GT(plan.requeue_after_ms, 0) << "its pod is missing, and no watch says why";
}

TEST(Plan, MissingPodHasTheCauseOfWorkloadEvents) {
  Cluster cluster = Converged();
  EXPECT_TRUE(cluster.Look().suspects.empty()) << "too early";
  const Plan later = cluster.Look(kNow + 10'000);
  ASSERT_EQ(later.suspects.size(), 1U);
  EXPECT_EQ(later.suspects[0].uid, "uid-StatefulSet");
  ObservedAgent observed = Classify(cluster.agent, cluster.objects);
  observed.causes = {{"StatefulSet", "FailedCreate", "exceeded quota; to mend it: raise it"}};
  const Plan plan = MakePlan(observed, {}, kNow + 10'000);
  EXPECT_EQ(Reason(plan, "Ready"), "False FailedCreate");
  ASSERT_EQ(plan.events.size(), 1U);
  EXPECT_EQ(plan.events[0].note, "exceeded quota; to mend it: raise it");
  cluster.agent["status"] = *plan.status;
  EXPECT_FALSE(cluster.Look(kNow + 11'000).suspects.empty()) << "asked until there is a pod";
  cluster.objects.push_back(Pod(true));
  EXPECT_TRUE(cluster.Look(kNow + 12'000).suspects.empty());
  EXPECT_EQ(Reason(cluster.Look(kNow + 12'000), "Ready"), "True Ready");
}

TEST(Plan, MissingVolumeHasTheCauseOfClaimEvents) {
  Cluster cluster = Converged();
  ObservedAgent observed = Classify(cluster.agent, cluster.objects);
  observed.claim = Json{{"metadata", {{"name", "data-a-0"}}}, {"status", {{"phase", "Pending"}}}};
  observed.causes = {{"StatefulSet", "FailedCreate", "not about the claim"}};
  EXPECT_EQ(Reason(MakePlan(observed, {}, kNow), "VolumeReady"), "Unknown Progressing");
  observed.causes = {{"PersistentVolumeClaim", "ProvisioningFailed", "no StorageClass"}};
  EXPECT_EQ(Reason(MakePlan(observed, {}, kNow), "VolumeReady"), "False ProvisioningFailed");
}

TEST(Plan, RefusedChildNamesTheRemedy) {
  Cluster cluster{Agent()};
  for (const Child& child : cluster.Look().apply)
    if (child.resource.kind == "StatefulSet" || child.resource.kind == "ConfigMap")
      cluster.refused[kube::AnnotationOf(child.object, kIntentAnnotation)] =
          "x is forbidden: exceeded quota: q, requested: count/x=1";
  const Plan plan = cluster.Look();
  ASSERT_TRUE(plan.status);
  EXPECT_NE(base::DumpJson(*plan.status).find("raise ResourceQuota q"), std::string::npos);
  EXPECT_EQ(Reason(plan, "Stalled"), "True TemplateInvalid");
}

TEST(Plan, RevertsOnlyTheHandEditedChild) {
  Cluster cluster = Converged();
  Json& set = *cluster.Find("StatefulSet", "a");
  set["spec"]["template"]["spec"]["containers"][0]["image"] = "evil:1";
  set["metadata"]["labels"]["mine"] = "kept";
  Plan plan = cluster.Look();
  ASSERT_EQ(plan.apply.size(), 1U);
  EXPECT_EQ(plan.apply[0].resource.kind, "StatefulSet");
  EXPECT_EQ(kube::UidOf(plan.apply[0].object), "uid-StatefulSet") << "the write is fenced";
}

TEST(Plan, KeepsFieldsOfOtherControllers) {
  Cluster cluster = Converged();
  (*cluster.Find("StatefulSet", "a"))["metadata"]["labels"]["mine"] = "kept";
  (*cluster.Find("StatefulSet", "a"))["spec"]["template"]["spec"]["dnsPolicy"] = "ClusterFirst";
  EXPECT_TRUE(cluster.Look().IsEmpty());
}

TEST(Plan, RecreatesADeletedChild) {
  Cluster cluster = Converged();
  cluster.Remove("ConfigMap", "a-policy");
  Plan plan = cluster.Look();
  ASSERT_EQ(plan.apply.size(), 1U);
  EXPECT_EQ(kube::KeyOf(plan.apply[0].object).name, "a-policy");
  EXPECT_EQ(kube::UidOf(plan.apply[0].object), "");
}

TEST(Plan, RemovesChildrenOfADisabledFeature) {
  Cluster cluster = Converged(Agent("  ports: [{name: http, containerPort: 8080}]\n"));
  ASSERT_TRUE(cluster.Find("Service", "a"));
  Json after = Agent();
  after["status"] = cluster.agent["status"];
  after["spec"].erase("memory");
  cluster.agent = after;
  Json foreign = *cluster.Find("ConfigMap", "a-policy");
  foreign["metadata"]["name"] = "other";
  foreign["metadata"]["ownerReferences"][0]["uid"] = "somebody";
  cluster.objects.push_back(foreign);
  Plan plan = cluster.Look();
  std::set<std::string> removed;
  for (const Removal& removal : plan.remove)
    removed.insert(removal.resource.kind + " " + removal.key.name);
  EXPECT_EQ(removed, (std::set<std::string>{"Service a", "ConfigMap a-policy"}));
  for (const Json& condition : (*plan.status)["conditions"])
    EXPECT_NE(condition["type"], "MemoryResolved");
}

TEST(Plan, PolicyEditDoesNotChangeTheWorkload) {
  Cluster cluster = Converged();
  cluster.agent["spec"]["memory"]["contextLimit"] = 0;
  std::set<std::string> applied;
  for (const Child& child : cluster.Look().apply) applied.insert(kube::KeyOf(child.object).name);
  EXPECT_EQ(applied, (std::set<std::string>{"a-agent", "a-policy"}));
}

TEST(Plan, TouchesPodWithOlderPolicyOnce) {
  Cluster cluster = Converged();
  cluster.objects.push_back(Pod(true));
  cluster.digests["a-0"] = "sha256:old";
  Plan plan = cluster.Reconcile();
  ASSERT_EQ(plan.patch.size(), 1U);
  EXPECT_EQ(plan.patch[0].key.name, "a-0");
  EXPECT_EQ(Reason(plan, "PolicyInSync"), "False Pending");
  EXPECT_EQ(plan.requeue_after_ms, 1'000) << "nobody tells us when the sidecar has read it";
  const std::string digest = plan.patch[0].body["metadata"]["annotations"][kPolicyTouch];
  cluster.Remove("Pod", "a-0");
  cluster.objects.push_back(Pod(true, digest));
  EXPECT_TRUE(cluster.Look().patch.empty());
  EXPECT_EQ(cluster.Look().requeue_after_ms, 1'000) << "asked again also when the status stays";
  cluster.digests["a-0"] = digest;
  plan = cluster.Reconcile();
  EXPECT_EQ(Reason(plan, "PolicyInSync"), "True InSync");
  EXPECT_EQ(Reason(plan, "Ready"), "True Ready");
  EXPECT_EQ(plan.requeue_after_ms, 0);
  EXPECT_TRUE(cluster.Look().IsEmpty());
}

TEST(Plan, TouchesPodAgainIfPolicyStaysOld) {
  Cluster cluster = Converged();
  cluster.objects.push_back(Pod(true));
  cluster.digests["a-0"] = "sha256:old";
  const std::string first =
      cluster.Reconcile().patch.at(0).body["metadata"]["annotations"][kPolicyTouch];
  cluster.Remove("Pod", "a-0");
  cluster.objects.push_back(Pod(true, first));
  EXPECT_TRUE(cluster.Look(kNow + 4'000).patch.empty());
  Plan later = cluster.Look(kNow + 6'000);
  ASSERT_EQ(later.patch.size(), 1U);
  EXPECT_EQ(later.patch[0].body["metadata"]["annotations"][kPolicyTouch], first + "#1");
  EXPECT_EQ(cluster.Look(kNow + 600'000).patch.at(0).body["metadata"]["annotations"][kPolicyTouch],
            first + "#3");
}

TEST(Plan, PodWithoutRunningSidecarIsNotPolled) {
  Cluster cluster = Converged();
  Json pod = Pod(false);
  pod["status"].erase("initContainerStatuses");
  cluster.objects.push_back(pod);
  Plan plan = cluster.Look();
  EXPECT_EQ(Reason(plan, "PolicyInSync"), "Unknown SidecarNotRunning");
  EXPECT_EQ(plan.requeue_after_ms, 0);
}

TEST(Plan, ReportsALostPodAtOnce) {
  Cluster cluster = Converged();
  cluster.objects.push_back(Pod(true));
  EXPECT_EQ(Reason(cluster.Reconcile(), "Ready"), "True Ready");
  cluster.Remove("Pod", "a-0");
  EXPECT_EQ(Reason(cluster.Reconcile(), "Ready"), "False Progressing");
}

TEST(Plan, AgentWithZeroReplicasIsReadyOncePodEnded) {
  Cluster cluster = Converged();
  Json pod = Pod(true), copy = Pod(true);  // a user's copy for debugging
  pod["metadata"]["ownerReferences"] = {{{"uid", "uid-StatefulSet"}, {"controller", true}}};
  copy["metadata"]["name"] = "a-debug";
  cluster.objects.insert(cluster.objects.end(), {pod, copy});
  cluster.Reconcile();
  EXPECT_EQ(cluster.agent["status"]["replicas"], 1);
  cluster.agent["spec"]["replicas"] = 0;
  const Plan rests = cluster.Look();
  ASSERT_EQ(rests.apply.size(), 1u);
  EXPECT_EQ(rests.apply[0].object["spec"]["replicas"], 0);
  EXPECT_TRUE(rests.rolled_out);
  EXPECT_EQ(Reason(cluster.Reconcile(), "Ready"), "False Progressing");
  cluster.Remove("Pod", "a-0");
  cluster.Reconcile();
  // The StatefulSet may still create a pod.
  EXPECT_EQ(cluster.agent["status"]["conditions"][0]["status"], "False");
  (*cluster.Find("StatefulSet", "a"))["status"]["observedGeneration"] = 0;
  const Plan rest = cluster.Reconcile();
  EXPECT_EQ(Reason(rest, "Ready"), "True ScaledToZero");
  EXPECT_EQ(Reason(rest, "UpToDate"), "True ScaledToZero");
  EXPECT_EQ(cluster.agent["status"]["replicas"], 0);
  cluster.agent["spec"]["replicas"] = 1;
  cluster.Remove("Pod", "a-debug");
  EXPECT_EQ(Reason(cluster.Reconcile(), "Ready"), "False Progressing");
}

TEST(Plan, OldCrdGetsStatusWithoutReplicas) {
  Cluster cluster{Agent()};
  cluster.agent["spec"].erase("replicas");
  cluster.Reconcile();
  EXPECT_FALSE(cluster.agent["status"].contains("replicas"));
  EXPECT_FALSE(cluster.agent["status"].contains("selector"));
}

TEST(Plan, UnreadyPodIsNoReadyEndpoint) {
  auto count = [](const char* conditions) {
    Json slice = MemorySlice();
    slice["endpoints"][0]["conditions"] = Json::parse(conditions);
    return CountReadyEndpoints({slice});
  };
  EXPECT_EQ(count(R"({})"), 1);
  EXPECT_EQ(count(R"({"ready": true, "serving": true})"), 1);
  EXPECT_EQ(count(R"({"ready": false})"), 0);
  // With publishNotReadyAddresses every pod is "ready".
  EXPECT_EQ(count(R"({"ready": true, "serving": false})"), 0);
  // A terminating pod that still answers.
  EXPECT_EQ(count(R"({"ready": false, "serving": true, "terminating": true})"), 0);
}

TEST(Plan, DualStackEndpointCountsOnce) {
  auto slice = [](const char* type, const std::vector<std::pair<const char*, const char*>>& all) {
    Json made = {{"addressType", type}, {"endpoints", Json::array()}};
    for (const auto& [address, uid] : all) {
      Json endpoint = {{"addresses", {address}}};
      if (*uid) endpoint["targetRef"] = {{"kind", "Pod"}, {"uid", uid}};
      made["endpoints"].push_back(endpoint);
    }
    return made;
  };
  EXPECT_EQ(CountReadyEndpoints({}), 0);
  EXPECT_EQ(CountReadyEndpoints({slice("IPv4", {{"10.0.0.1", "a"}})}), 1);
  EXPECT_EQ(CountReadyEndpoints({slice("IPv6", {{"fd00::1", "a"}})}), 1);
  EXPECT_EQ(
      CountReadyEndpoints({slice("IPv6", {{"fd00::1", "a"}}), slice("IPv4", {{"10.0.0.1", "a"}})}),
      1);
  EXPECT_EQ(CountReadyEndpoints({slice("IPv6", {{"fd00::1", "a"}, {"fd00::2", "b"}}),
                                 slice("IPv4", {{"10.0.0.1", "a"}})}),
            2);
  // A user's own slices name no pod.
  EXPECT_EQ(CountReadyEndpoints({slice("IPv6", {{"fd00::1", ""}}),
                                 slice("IPv4", {{"10.0.0.1", ""}, {"10.0.0.2", ""}})}),
            2);
}

TEST(Plan, MissingServiceHealsWhenCreated) {
  Cluster cluster{Agent()};
  cluster.objects.clear();
  Plan first = cluster.Reconcile();
  EXPECT_EQ(Reason(first, "MemoryResolved"), "False ServiceNotFound");
  ASSERT_EQ(first.events.size(), 1U) << "one Event, not one for each condition that repeats it";
  EXPECT_TRUE(first.events[0].warning);
  EXPECT_EQ(first.apply.back().resource.kind, "StatefulSet")
      << "the agent runs without its memory server";
  cluster.objects.push_back(MemoryService());
  cluster.objects.push_back(MemorySlice());
  Plan second = cluster.Reconcile();
  EXPECT_EQ(Reason(second, "MemoryResolved"), "True Resolved");
  ASSERT_FALSE(second.events.empty());
  for (const Notice& notice : second.events) {
    EXPECT_FALSE(notice.warning) << notice.reason;
    EXPECT_NE(notice.reason, "Progressing") << "what goes on by itself is no Event";
  }
  EXPECT_TRUE(cluster.Look().IsEmpty());
}

Json Claim(const std::string& created, const std::string& from) {
  Json claim = {{"kind", "PersistentVolumeClaim"},
                {"metadata",
                 {{"name", "data-a-0"},
                  {"namespace", "agents"},
                  {"uid", "uid-claim"},
                  {"creationTimestamp", created}}},
                {"status", {{"phase", "Bound"}}}};
  if (!from.empty()) claim["metadata"]["annotations"][kRetainedFrom] = from;
  return claim;
}

TEST(Plan, AnnotatesClaimOfItsWorkload) {
  Cluster cluster = Converged();
  cluster.objects.push_back(Claim("2026-01-02T00:00:00Z", ""));
  Plan plan = cluster.Look();
  ASSERT_EQ(plan.patch.size(), 1U);
  EXPECT_EQ(plan.patch[0].body["metadata"]["annotations"][kRetainedFrom], "uid-a");
  cluster.Remove("PersistentVolumeClaim", "data-a-0");
  cluster.objects.push_back(Claim("2026-01-02T00:00:00Z", "uid-a"));
  EXPECT_TRUE(cluster.Look().patch.empty());
}

TEST(Plan, DoesNotAdoptOlderUnannotatedClaim) {
  Cluster cluster{Agent()};
  cluster.objects.push_back(Claim("2026-01-01T00:00:00Z", ""));
  Plan plan = cluster.Reconcile();
  EXPECT_EQ(Reason(plan, "VolumeReady"), "False VolumeNotAdopted");
  EXPECT_FALSE(cluster.Find("StatefulSet", "a"));
  EXPECT_TRUE(plan.patch.empty());
  cluster.agent["spec"]["storage"]["adopt"] = true;
  plan = cluster.Reconcile();
  EXPECT_EQ(plan.patch.size(), 1U);
  EXPECT_TRUE(cluster.Find("StatefulSet", "a"));
}

TEST(Plan, KeepsForeignObjectsWithItsNames) {
  Cluster cluster{Agent()};
  cluster.objects.push_back(
      {{"kind", "ConfigMap"}, {"metadata", {{"name", "a-policy"}, {"namespace", "agents"}}}});
  Plan plan = cluster.Look();
  for (const Child& child : plan.apply) EXPECT_NE(kube::KeyOf(child.object).name, "a-policy");
  EXPECT_EQ(Reason(plan, "Stalled"), "True NameTaken");
}

TEST(Plan, RefusedObjectIsReportedAndNotResent) {
  Cluster cluster{Agent()};
  for (const Child& child : cluster.Look().apply)
    if (child.resource.kind == "StatefulSet")
      cluster.refused[kube::AnnotationOf(child.object, kIntentAnnotation)] = "spec.template: no";
  Plan plan = cluster.Reconcile();
  EXPECT_FALSE(cluster.Find("StatefulSet", "a"));
  EXPECT_EQ(Reason(plan, "Stalled"), "True TemplateInvalid");
  EXPECT_EQ(Reason(plan, "Ready"), "False TemplateInvalid");
  cluster.agent["spec"]["image"] = "better:1";
  cluster.Reconcile();
  EXPECT_TRUE(cluster.Find("StatefulSet", "a")) << "another intent is tried";
}

TEST(Plan, StorageChangeIsReportedAndTemplateKept) {
  Cluster cluster = Converged();
  cluster.agent["spec"]["storage"]["size"] = "5Gi";
  Plan plan = cluster.Reconcile();
  EXPECT_EQ(Reason(plan, "Degraded"), "True StorageNotChanged");
  const Json& set = *cluster.Find("StatefulSet", "a");
  EXPECT_EQ(set["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"],
            "1Gi");
  cluster.agent["spec"]["storage"]["size"] = "1024Mi";
  EXPECT_EQ(Reason(cluster.Reconcile(), "Degraded"), "False AsSpecified");
}

TEST(Plan, DeletedAgentIsUnchanged) {
  Cluster cluster{Agent()};
  cluster.agent["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z";
  EXPECT_TRUE(cluster.Look().IsEmpty());
}

TEST(Plan, UndecodableAgentIsStalled) {
  Cluster cluster{Agent()};
  cluster.agent["spec"]["memory"] = 7;
  EXPECT_EQ(Reason(cluster.Look(), "Stalled"), "True InvalidAgent");
}

TEST(Plan, DefaultedEmptyAgentHasAPlan) {
  Json agent = Parse(
      "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a}, spec: {image: "
      "x}}");
  Plan plan = MakePlan(Classify(agent, {}), {}, kNow);
  EXPECT_EQ(plan.apply.size(), 3U);
  for (const Child& child : plan.apply)
    EXPECT_FALSE(child.object["metadata"].contains("ownerReferences"));
}

TEST(Plan, OnlyAgentsOfItsClassAreServed) {
  Json agent = Agent();
  EXPECT_TRUE(IsOfClass(agent, ""));
  EXPECT_FALSE(IsOfClass(agent, "blue"));
  agent["metadata"]["annotations"][kClassAnnotation] = "blue";
  EXPECT_TRUE(IsOfClass(agent, "blue"));
  EXPECT_FALSE(IsOfClass(agent, ""));
}

}  // namespace
}  // namespace controller
