// Plans that create, change and remove grants of shared memory.
#include "operator/agent/plan_fixture.h"

namespace controller {
namespace {

Json Sharing(const std::string& share) { return Agent("", ", share: " + share); }

Json OtherAgent(const std::string& name, const std::string& more = "") {
  return Parse("apiVersion: agents.agentops.io/v1alpha1\nkind: Agent\nmetadata: {name: " + name +
               ", namespace: agents, uid: uid-" + name + "}\nspec: {" + more +
               (more.empty() ? "image: x:1" : "") + "}\n");
}

std::vector<std::string> SubjectsOf(Cluster& cluster, const std::string& binding) {
  std::vector<std::string> names;
  const Json* found = cluster.Find("RoleBinding", binding);
  if (!found) return names;
  for (const Json& subject : (*found)["subjects"]) {
    EXPECT_EQ(subject["kind"], "ServiceAccount");
    EXPECT_EQ(subject["namespace"], "agents");
    names.push_back(subject["name"]);
  }
  return names;
}

TEST(Shares, GrantIsAppliedChangedAndRemoved) {
  using Names = std::vector<std::string>;
  Cluster cluster = Converged(Agent());
  cluster.objects.push_back(OtherAgent("b"));
  cluster.objects.push_back(OtherAgent(
      "c", "template: {spec: {serviceAccountName: theirs, containers: [{name: x, image: x:1}]}}"));
  EXPECT_TRUE(cluster.Look().IsEmpty()) << "nothing is shared";
  auto share = [&](const std::string& list) {
    cluster.agent["spec"]["memory"]["share"] = Sharing(list)["spec"]["memory"]["share"];
  };

  share("[{agents: [b, a, b]}, {agents: [c], access: write}]");
  Plan plan = cluster.Reconcile();
  EXPECT_EQ(plan.apply.size(), 5U) << "two Roles, two bindings, and agent.json";
  EXPECT_EQ(SubjectsOf(cluster, "a-readers"), Names{"b-agent"}) << "itself needs no grant";
  EXPECT_EQ(SubjectsOf(cluster, "a-writers"), Names{"theirs"});
  EXPECT_EQ((*cluster.Find("Role", "a-readers"))["rules"],
            Json::parse(R"([{"apiGroups": ["memory.agents.agentops.io"],
              "resources": ["sharedmemories"], "resourceNames": ["a"], "verbs": ["get", "list"]}])"));
  EXPECT_EQ((*cluster.Find("Role", "a-writers"))["rules"][0]["verbs"],
            Json({"get", "list", "update", "delete"}));
  EXPECT_EQ(Reason(plan, "SharesGranted"), "True Granted");
  EXPECT_EQ(cluster.agent["status"]["share"], Json({{"read", {"b"}}, {"write", {"c"}}}));
  EXPECT_TRUE(cluster.Look().IsEmpty());

  share("[{agents: [b]}, {agents: [b, c], access: write}]");
  plan = cluster.Reconcile();
  EXPECT_EQ(SubjectsOf(cluster, "a-writers"), (Names{"b-agent", "theirs"}));
  ASSERT_EQ(plan.remove.size(), 2U) << "who writes is no reader besides";
  EXPECT_EQ(plan.remove[0].key.name, "a-readers");
  EXPECT_EQ(plan.remove[0].uid, "uid-Role");
  for (const Removal& gone : plan.remove) cluster.Remove(gone.resource.kind, gone.key.name);
  EXPECT_TRUE(cluster.Look().IsEmpty());

  cluster.agent["spec"]["memory"].erase("share");
  plan = cluster.Reconcile();
  EXPECT_EQ(plan.remove.size(), 2U);
  for (const Removal& gone : plan.remove) cluster.Remove(gone.resource.kind, gone.key.name);
  EXPECT_FALSE(cluster.agent["status"].contains("share"));
  EXPECT_TRUE(cluster.Look().IsEmpty());
}

TEST(Shares, GrantToMissingAgentIsReported) {
  Cluster cluster = Converged(Sharing("[{agents: [b, gone]}]"));
  EXPECT_EQ(cluster.Find("RoleBinding", "a-readers"), nullptr);
  cluster.objects.push_back(OtherAgent("b"));
  Plan plan = cluster.Reconcile();
  EXPECT_EQ(SubjectsOf(cluster, "a-readers"), std::vector<std::string>{"b-agent"});
  EXPECT_EQ(cluster.agent["status"]["share"], Json({{"read", {"b"}}, {"missing", {"gone"}}}));
  for (const Json& condition : cluster.agent["status"]["conditions"]) {
    if (condition["type"] != "SharesGranted" && condition["type"] != "Degraded") continue;
    EXPECT_EQ(condition["reason"],
              condition["type"] == "Degraded" ? "ShareAgentMissing" : "AgentMissing");
    EXPECT_NE(condition["message"].get<std::string>().find("gone"), std::string::npos);
  }
  cluster.Remove("Agent", "b");
  plan = cluster.Reconcile();
  EXPECT_EQ(plan.remove.size(), 2U) << "its grants go with it";
}

TEST(Shares, AgentWithOtherAccountOwnsItsSharedMemory) {
  Cluster cluster = Converged(
      OtherAgent("a",
                 "memory: {serverRef: m}, template: {spec: {serviceAccountName: mine, containers: "
                 "[{name: x, image: x:1}]}}"));
  EXPECT_EQ(SubjectsOf(cluster, "a-writers"), std::vector<std::string>{"mine"});
  EXPECT_FALSE(cluster.agent["status"].contains("share"));
}

TEST(Shares, RoleOfAnotherOwnerIsUnchanged) {
  Cluster cluster{Sharing("[{agents: [b]}]")};
  cluster.objects.push_back(OtherAgent("b"));
  const Json theirs = {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "Role"},
                       {"metadata", {{"name", "a-readers"}, {"namespace", "agents"}}}};
  cluster.objects.push_back(theirs);
  Plan plan = cluster.Reconcile();
  EXPECT_EQ(Reason(plan, "Stalled"), "True NameTaken");
  EXPECT_EQ(*cluster.Find("Role", "a-readers"), theirs);
}

}  // namespace
}  // namespace controller
