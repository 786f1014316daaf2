// The controller against an API server: the same stories on the fake one, which has faults, and on
// a real one.
#include "operator/controller.h"

#include <gtest/gtest.h>

#include <random>

#include "operator/controller_fixture.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

constexpr const char* kAgent =
    "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: coder}, "
    "spec: {image: 'example/agent:1.0', memory: {serverRef: agent-memory}}}";
constexpr const char* kService =
    "{apiVersion: v1, kind: Service, metadata: {name: agent-memory}, "
    "spec: {selector: {app: m}, ports: [{name: memory, port: 7437, protocol: TCP}]}}";

class ControllerStory : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool real = std::string(GetParam()) == "ApiServer";
    if (real && !std::getenv("AGENT_MEMORY_TEST_KUBECONFIG"))
      GTEST_SKIP()
          << "AGENT_MEMORY_TEST_KUBECONFIG is not set (e2e/cluster/up --api-only prints one)";
    server_ = std::make_unique<Server>(real);
  }
  std::unique_ptr<Server> server_;
};
INSTANTIATE_TEST_SUITE_P(On, ControllerStory, testing::Values("FakeCluster", "ApiServer"),
                         [](const auto& of) { return of.param; });

TEST_P(ControllerStory, AgentGetsChildrenAndMissingServiceHeals) {
  Server& server = *server_;
  auto controller = Begin(server);
  server.Give(kAgent);
  ASSERT_TRUE(Eventually([&] { return !server.See(kube::StatefulSets(), "coder").is_null(); }));
  const Json policy = server.See(kube::ConfigMaps(), "coder-policy");
  EXPECT_EQ(kube::ControllerOf(policy).kind, "Agent");
  ASSERT_TRUE(Eventually(
      [&] { return server.Condition("coder", "MemoryResolved") == "False ServiceNotFound"; }));
  server.Give(kService);
  ASSERT_TRUE(
      Eventually([&] { return server.Condition("coder", "MemoryResolved") == "True Resolved"; },
                 server.soon_ms()));
  ASSERT_TRUE(Eventually(
      [&] {
        return server.See(kube::ConfigMaps(), "coder-policy")["data"]["policy.json"]
                   .get<std::string>()
                   .find("agent-memory." + server.name_space() + ".svc") != std::string::npos;
      },
      server.soon_ms()));
  const Json agent = server.See(Agents(), "coder");
  EXPECT_EQ(agent["status"]["observedGeneration"], agent["metadata"]["generation"]);
  EXPECT_TRUE(server.theirs().Delete(kube::Services(), {server.name_space(), "agent-memory"}));
  EXPECT_TRUE(Eventually(
      [&] { return server.Condition("coder", "MemoryResolved") == "False ServiceNotFound"; },
      server.soon_ms()));
}

TEST_P(ControllerStory, RestartWithoutChangesWritesNothing) {
  Server& server = *server_;
  server.Give(kService);
  server.Give(kAgent);
  auto controller = Begin(server);
  ASSERT_TRUE(Eventually([&] { return !server.Condition("coder", "Ready").empty(); }));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller); }));
  EXPECT_GE(server.writes(), 5);
  // Other controllers of a real server may still be creating pods and claims.
  int quiet = 0;
  for (int restart = 0; restart < 10 && quiet < 3; ++restart) {
    controller.reset();
    const int64_t before = server.writes();
    controller = Begin(server);
    ASSERT_TRUE(Eventually([&] { return IsIdle(*controller); }));
    quiet = server.writes() == before ? quiet + 1 : 0;
  }
  EXPECT_EQ(quiet, 3);
}

TEST_P(ControllerStory, EditedOrDeletedChildIsRestoredSoon) {
  Server& server = *server_;
  server.Give(kService);
  server.Give(kAgent);
  auto controller = Begin(server);
  ASSERT_TRUE(Eventually([&] { return !server.Condition("coder", "Ready").empty(); }));
  const ObjectKey set{server.name_space(), "coder"}, map{server.name_space(), "coder-policy"};
  const Json good = server.See(kube::StatefulSets(), "coder");
  ASSERT_TRUE(server.theirs().JsonPatch(
      kube::StatefulSets(), set,
      Json::parse(
          R"([{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "evil:1"}])")));
  ASSERT_TRUE(server.theirs().MergePatch(kube::StatefulSets(), set,
                                         {{"metadata", {{"labels", {{"mine", "kept"}}}}}}));
  EXPECT_TRUE(Eventually(
      [&] {
        const Json now = server.See(kube::StatefulSets(), "coder");
        return now["spec"]["template"] == good["spec"]["template"] &&
               kube::LabelOf(now, "mine") == "kept";
      },
      server.soon_ms()));
  ASSERT_TRUE(server.theirs().Delete(kube::ConfigMaps(), map));
  EXPECT_TRUE(Eventually([&] { return !server.See(kube::ConfigMaps(), "coder-policy").is_null(); },
                         server.soon_ms()));
}

TEST_P(ControllerStory, LaterAgentToolIsFollowed) {
  Server& server = *server_;
  auto controller = Begin(server);
  server.Give(kAgent);
  ASSERT_TRUE(Eventually(
      [&] { return server.Condition("coder", "MemoryResolved") == "False ServiceNotFound"; }));
  server.Give(
      "{apiVersion: agents.agentops.io/v1alpha1, kind: AgentTool, metadata: {name: agent-memory}, "
      "spec: {service: {name: real-memory}}}\n---\n{apiVersion: v1, kind: Service, metadata: "
      "{name: real-memory}, "
      "spec: {selector: {app: m}, ports: [{port: 7437, protocol: TCP}]}}");
  EXPECT_TRUE(
      Eventually([&] { return server.Condition("coder", "MemoryResolved") == "True Resolved"; },
                 server.soon_ms()));
  EXPECT_EQ(server.See(Agents(), "coder")["status"]["memory"]["service"], "real-memory");
}

TEST_P(ControllerStory, LeftoverClaimNeedsAdopt) {
  Server& server = *server_;
  server.Give(kService);
  server.Give(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-coder-0, annotations: "
      "{agents.agentops.io/retained-from: 00000000-0000-0000-0000-000000000000}}, "
      "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}");
  auto controller = Begin(server);
  server.Give(kAgent);
  ASSERT_TRUE(Eventually(
      [&] { return server.Condition("coder", "VolumeReady") == "False VolumeNotAdopted"; }));
  EXPECT_TRUE(server.See(kube::StatefulSets(), "coder").is_null());
  ASSERT_TRUE(server.theirs().MergePatch(Agents(), {server.name_space(), "coder"},
                                         {{"spec", {{"storage", {{"adopt", true}}}}}}));
  EXPECT_TRUE(Eventually([&] { return !server.See(kube::StatefulSets(), "coder").is_null(); }));
  EXPECT_TRUE(Eventually([&] {
    return kube::AnnotationOf(server.See(kube::PersistentVolumeClaims(), "data-coder-0"),
                              kRetainedFrom) == kube::UidOf(server.See(Agents(), "coder"));
  }));
}

TEST_P(ControllerStory, ForeignObjectWithChildNameIsUnchanged) {
  Server& server = *server_;
  server.Give(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: coder-policy}\ndata: {mine: kept}\n");
  auto controller = Begin(server);
  server.Give(kAgent);
  ASSERT_TRUE(Eventually([&] { return server.Condition("coder", "Stalled") == "True NameTaken"; }));
  EXPECT_EQ(server.See(kube::ConfigMaps(), "coder-policy")["data"], Json({{"mine", "kept"}}));
}

TEST_P(ControllerStory, MemoryServersObjectsFollowItsSpec) {
  Server& server = *server_;
  auto controller = Begin(server);
  auto give = [&](const std::string& spec) {
    server.Give(
        "{apiVersion: agents.agentops.io/v1alpha1, kind: MemoryServer, metadata: {name: shared}, "
        "spec: " +
        spec + "}");
  };
  auto has = [&](const kube::Resource& kind) { return !server.See(kind, "shared").is_null(); };
  give("{evictable: false, podMonitor: {enabled: true}, retention: [{type: '*', ttl: 1h}]}");
  ASSERT_TRUE(Eventually([&] { return has(kube::StatefulSets()); }));
  EXPECT_TRUE(has(kube::PodDisruptionBudgets()));
  EXPECT_TRUE(has(kube::NetworkPolicies()));
  EXPECT_TRUE(Eventually([&] {
    return server.Condition("shared", "Degraded", MemoryServers()) == "True PodMonitorNotServed";
  }));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller); }));
  const int64_t before = server.writes(), done = controller->loop().queue_stats().done;
  ASSERT_TRUE(server.theirs().MergePatch(MemoryServers(), {server.name_space(), "shared"},
                                         {{"metadata", {{"annotations", {{"look", "again"}}}}}}));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller, done + 1); }));
  EXPECT_LE(server.writes(), before + 1)
      << "what stands is not applied again (an Event may be late)";
  give("{evictable: true, image: 'x:2', networkPolicy: {enabled: false}}");
  EXPECT_TRUE(Eventually([&] {
    return !has(kube::PodDisruptionBudgets()) && !has(kube::NetworkPolicies()) &&
           base::DumpJson(server.See(kube::StatefulSets(), "shared")).find("\"x:2\"") !=
               std::string::npos;
  }));
}

TEST_P(ControllerStory, RefusedTemplateIsInStatusWithMessage) {
  Server& server = *server_;
  if (server.fake()) server.fake()->Inject({"APPLY", "/statefulsets/", 422, 0, false, 1'000});
  auto controller = Begin(server);
  auto with_port = [](const std::string& port) {
    return "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: coder}, spec: "
           "{template: "
           "{spec: {containers: [{name: agent, image: x, ports: [{containerPort: " +
           port + "}]}]}}}}";
  };
  server.Give(with_port("99999"));
  ASSERT_TRUE(
      Eventually([&] { return server.Condition("coder", "Stalled") == "True TemplateInvalid"; }));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller); }));
  const int64_t before = server.writes(), done = controller->loop().queue_stats().done;
  ASSERT_TRUE(server.theirs().MergePatch(Agents(), {server.name_space(), "coder"},
                                         {{"metadata", {{"annotations", {{"look", "again"}}}}}}));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller, done + 1); }));
  EXPECT_LE(server.writes(), before + 1) << "not tried over and over (the Event may come late)";
  if (server.fake()) server.fake()->ClearFaults();
  server.Give(with_port("9999"));
  EXPECT_TRUE(
      Eventually([&] { return server.Condition("coder", "Stalled") == "False Progressing"; }));
}

// In the end every child is in its Agent's desired state, and writes stop.
TEST(ControllerConvergence, RandomEditsAndFaultsEndInTheDesiredState) {
  const char* given = std::getenv("AGENT_MEMORY_TEST_SEED");
  const uint64_t seed = given ? std::stoull(given) : std::random_device{}();
  SCOPED_TRACE("AGENT_MEMORY_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto pick = [&](size_t n) { return random() % n; };
  Server server(false);
  testing::FakeCluster& fake = *server.fake();
  auto controller = Begin(server);
  auto agent = [&](size_t i, size_t limit) {
    return "apiVersion: agents.agentops.io/v1alpha1\nkind: Agent\nmetadata: {name: a" +
           std::to_string(i) +
           "}\nspec: {image: x, memory: {serverRef: agent-memory, contextLimit: " +
           std::to_string(limit) + "}}\n";
  };
  for (size_t i = 0; i < 4; ++i) server.Give(agent(i, 5));
  std::string name;
  auto at = [&](const std::string& object) { return ObjectKey{server.name_space(), object}; };
  auto fault = [&](int status, int times) {
    return testing::Fault{"", "", status, 0, pick(2) == 0, times};
  };
  const Json scaled = {{"spec", {{"replicas", 3}}}};
  const std::vector<std::function<void()>> edits = {
      [&] { server.Give(agent(pick(4), pick(51))); },
      [&] { server.Give(kService); },
      [&] { fake.Remove(kube::Services(), at("agent-memory")); },
      [&] { fake.Remove(kube::ConfigMaps(), at(name + "-policy")); },
      [&] { fake.Remove(kube::StatefulSets(), at(name)); },
      [&] { fake.Inject(fault(503, 3)); },
      [&] { fake.Inject(fault(0, 2)); },
      [&] { fake.BreakStreams(); },
      [&] { fake.ExpireStreams(); },
      [&] { (void)server.theirs().MergePatch(kube::StatefulSets(), at(name), scaled); }};
  for (int step = 0; step < 60; ++step) {
    name = "a" + std::to_string(pick(4));
    edits[pick(edits.size())]();
  }
  fake.ClearFaults();
  server.Give(kService);
  auto converged = [&] {
    for (size_t i = 0; i < 4; ++i) {
      const std::string name = "a" + std::to_string(i);
      const Json set = server.See(kube::StatefulSets(), name), object = server.See(Agents(), name);
      const Json map = server.See(kube::ConfigMaps(), name + "-policy");
      if (set.is_null() || set["spec"]["replicas"] != 1 || map.is_null()) return false;
      const Json policy = Json::parse(map["data"]["policy.json"].get<std::string>());
      if (policy["memory"]["contextLimit"] != object["spec"]["memory"]["contextLimit"])
        return false;
      if (policy["memory"]["url"] == "") return false;
      const Json* seen = base::At(object, {"status", "observedGeneration"});  // the last write
      if (!seen || *seen != object["metadata"]["generation"]) return false;
    }
    return true;
  };
  ASSERT_TRUE(Eventually(converged, 120'000));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller); }));
  controller.reset();
  const int64_t before = server.writes();
  controller = Begin(server);
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller, 4); }));
  controller.reset();
  EXPECT_EQ(server.writes(), before);
}

}  // namespace
}  // namespace controller
