// Faulty kubelets: the reaction of an Agent's template and status, on the fake API server and on a
// real one.
#include <gtest/gtest.h>

#include "operator/controller_fixture.h"
#include "operator/names/kinds.h"
#include "operator/pods/injection.h"
#include "operator/pods/rollout.h"

namespace controller {
namespace {

Json NodeOf(const std::string& name, const std::string& kubelet) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", name}, {"labels", {{"zone", "a"}}}}},
      {"spec", {{"podCIDR", "10.0.0.0/24"}}},
      {"status", {{"nodeInfo", {{"kubeletVersion", kubelet}}}, {"images", {{{"names", {"i"}}}}}}}};
}

constexpr const char* kService =
    "{apiVersion: v1, kind: Service, metadata: {name: m}, spec: {ports: [{name: memory, port: "
    "7437, protocol: TCP}]}}";

// With a class of its own, since this operator watches all namespaces, and other tests may run
// there.
std::string AgentOf(const std::string& agent_class) {
  return "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a, annotations: "
         "{" +
         std::string(kClassAnnotation) + ": " + agent_class +
         "}}, spec: {image: 'i:1', memory: {serverRef: m}}}";
}

class NodeSkewStory : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool real = std::string(GetParam()) == "ApiServer";
    if (real && !std::getenv("AGENT_MEMORY_TEST_KUBECONFIG"))
      GTEST_SKIP()
          << "AGENT_MEMORY_TEST_KUBECONFIG is not set (e2e/cluster/up --api-only prints one)";
    server_ = std::make_unique<Server>(real);
    server_->Give(kService);
    server_->Give(AgentOf(server_->name_space()));
    ControllerOptions options;
    options.agent_class = server_->name_space();
    controller_ = std::make_unique<Controller>(server_->ours(), std::move(options));
    controller_->Start();
    ASSERT_TRUE(Eventually([&] { return !Sidecar().is_null(); }));
  }
  void TearDown() override {
    if (!server_) return;
    controller_.reset();
    for (const std::string& node : nodes_)
      (void)server_->theirs().Delete(kube::Nodes(), {"", node});
  }
  // Registers or updates a node like a kubelet.
  void Report(const std::string& name, const std::string& kubelet) {
    const std::string full = name + "-" + server_->name_space();
    if (nodes_.insert(full).second) {
      Json node = NodeOf(full, kubelet);
      node.erase("status");
      ASSERT_TRUE(server_->theirs().Create(kube::Nodes(), node));
    }
    const Json status = {{"status", {{"nodeInfo", {{"kubeletVersion", kubelet}}}}}};
    auto done = server_->theirs().MergePatch(kube::Nodes(), {"", full}, status, "status");
    ASSERT_TRUE(done) << done.error().message;
  }
  Json Template() {
    const Json set = server_->See(kube::StatefulSets(), "a");
    const Json* found = base::At(set, {"spec", "template"});
    return found ? *found : Json();
  }
  Json Sidecar() {
    const Json pod = Template();
    const Json* sidecar =
        pod.is_null() ? nullptr : FindNamed(pod["spec"], "initContainers", kSidecarContainer);
    return sidecar ? *sidecar : Json();
  }
  std::string Skew() { return server_->Condition("a", "NodeSkew"); }

  std::unique_ptr<Server> server_;
  std::unique_ptr<Controller> controller_;
  std::set<std::string> nodes_;
};
INSTANTIATE_TEST_SUITE_P(On, NodeSkewStory, testing::Values("FakeCluster", "ApiServer"),
                         [](const auto& of) { return of.param; });

TEST_P(NodeSkewStory, FaultyKubeletChangesOnlyNewPods) {
  EXPECT_EQ(Skew(), "");
  EXPECT_TRUE(Sidecar().contains("startupProbe"));
  const Json before = Template();
  Report("old", "v1.28.4");
  ASSERT_TRUE(Eventually([&] { return Skew() == "True NoNativeSidecars"; }));
  EXPECT_TRUE(Sidecar().contains("startupProbe")) << "nothing helps there";
  Report("bad", "v1.35.2");
  ASSERT_TRUE(Eventually([&] { return !Sidecar().contains("startupProbe"); }));
  EXPECT_EQ(Sidecar()["lifecycle"]["postStart"]["exec"]["command"][1], "await");
  // The operator writes the status last.
  ASSERT_TRUE(Eventually([&] {
    return base::DumpJson(server_->See(Agents(), "a")["status"])
               .find("bad-" + server_->name_space()) != std::string::npos;
  }));

  Json pod = before;
  EXPECT_EQ(StepFor(pod, Template(), true), PodStep::kNone) << "no pod is made anew for it";
  auto use_image = [&](const Json& image) {
    return server_->theirs().MergePatch(Agents(), {server_->name_space(), "a"},
                                        {{"spec", {{"sidecar", {{"image", image}}}}}});
  };
  ASSERT_TRUE(use_image("sidecar:0.1"));
  ASSERT_TRUE(Eventually([&] { return Sidecar().contains("startupProbe"); }))
      << "that image may be older than the hook";
  ASSERT_TRUE(use_image(nullptr));
  ASSERT_TRUE(Eventually([&] { return !Sidecar().contains("startupProbe"); }));
  Report("bad", "v1.35.4");
  Report("old", "v1.36.0");
  ASSERT_TRUE(Eventually([&] { return Skew().empty() && Sidecar().contains("startupProbe"); }));
  EXPECT_FALSE(Sidecar().contains("lifecycle"));
  EXPECT_EQ(Template(), before);
}

TEST_P(NodeSkewStory, OtherKubeletReportsRequeueNoAgent) {
  Report("bad", "v1.35.2");
  Report("good", "v1.36.3");
  ASSERT_TRUE(Eventually([&] { return Skew() == "True KubeletForgetsRestarts"; }));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller_); }));
  const int64_t done = controller_->loop().queue_stats().done, writes = server_->writes();
  for (const std::string& node : nodes_)
    for (const char* phase : {"Running", "Pending"})
      ASSERT_TRUE(server_->theirs().MergePatch(kube::Nodes(), {"", node},
                                               {{"status", {{"phase", phase}}}}, "status"));
  Report("last", "v1.35.3");  // watch events are ordered: the others came before
  ASSERT_TRUE(Eventually([&] {
    return base::DumpJson(server_->See(Agents(), "a")["status"])
               .find("last-" + server_->name_space()) != std::string::npos;
  }));
  ASSERT_TRUE(Eventually([&] { return IsIdle(*controller_); }));
  // Reconciles of the Agent: for the node, for its own status, and for its StatefulSet. On a real
  // server nodes of earlier tests, which come and go, cause more.
  if (server_->fake()) {
    EXPECT_LE(controller_->loop().queue_stats().done, done + 3);
  }
  EXPECT_LE(server_->writes(), writes + 2);  // status, Event
}

}  // namespace
}  // namespace controller
