// MemoryServers in the controller, against the fake API server: their objects, their Agents, the
// writes of an edit and of a restart. The test plays the cluster's own controllers and the running
// server.
#include <gtest/gtest.h>

#include <thread>

#include "lib/base/guarded.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/crds/read_objects.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/objects/server_objects.h"

namespace controller {
namespace {

using base::Json;
using testing::Eventually;

class ServerStory : public testing::Test {
 protected:
  ServerStory() {
    for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()})
      cluster_.Serve(*kind);
    Begin();
  }
  void Begin() {
    controller_.reset();
    ControllerOptions options;
    options.workers = 1;
    options.probe_server = [this](const std::string& address) -> base::Result<api::ServerReport> {
      return report_.With([&](const api::ServerReport& report) -> base::Result<api::ServerReport> {
        api::ServerReport strays = report;
        strays.rows = 666;
        if (address == "10.0.0.66:7438") return strays;
        if (address == "10.0.0.7:7438") return report;
        return base::Error{base::Code::kUnavailable, "nobody is at " + address};
      });
    };
    controller_ = std::make_unique<Controller>(client_, std::move(options));
    controller_->Start();
  }
  void Give(const std::string& kind, const std::string& name, const std::string& spec) {
    auto objects = ReadObjects("{apiVersion: agents.agentops.io/v1alpha1, kind: " + kind +
                                   ", metadata: {name: " + name + "}, spec: " + spec + "}",
                               "n");
    ASSERT_TRUE(objects) << objects.error().message;
    cluster_.Put(objects->at(0));
  }
  bool Has(const kube::Resource& kind) { return bool(cluster_.Get(kind, key_)); }
  std::string Condition(const kube::Resource& kind, const char* name, const char* type) {
    const auto object = cluster_.Get(kind, {"n", name});
    const Json* all = object ? base::At(*object, {"status", "conditions"}) : nullptr;
    const auto found = all ? kube::FindCondition(*all, type) : std::nullopt;
    if (!found) return "(none)";
    return (found->status == kube::Truth::kTrue ? "True " : "False ") + found->reason;
  }
  bool Becomes(const char* type, const std::string& wanted) {
    return Eventually([&] { return Condition(MemoryServers(), "s", type) == wanted; });
  }
  // Makes a pod of the present template, like the StatefulSet controller and the kubelet.
  void Roll() {
    const Json set = *cluster_.Get(kube::StatefulSets(), key_);
    const std::string revision = "s-" + std::to_string(kube::GenerationOf(set));
    const Json seen = {{"observedGeneration", kube::GenerationOf(set)},
                       {"updateRevision", revision}};
    cluster_.PutStatus(kube::StatefulSets(), key_, seen);
    Json pod = set["spec"]["template"];
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"]["name"] = "s-0";
    pod["metadata"]["namespace"] = "n";
    pod["metadata"]["labels"]["controller-revision-hash"] = revision;
    pod["metadata"]["ownerReferences"] = {kube::ControllerReference(set)};
    cluster_.Put(pod);
    const Json running = {{"name", "server"}, {"state", {{"running", Json::object()}}}};
    cluster_.PutStatus(kube::Pods(), {"n", "s-0"},
                       {{"phase", "Running"},
                        {"podIP", "10.0.0.7"},
                        {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
                        {"containerStatuses", {running}}});
    Json slice = Json::parse(R"({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
        "metadata": {"name": "s-x", "namespace": "n"}, "endpoints": [{"addresses": ["10.0.0.7"]}]})");
    slice["metadata"]["labels"] = {{"kubernetes.io/service-name", "s"}, {kServerLabel, "s"}};
    cluster_.Put(slice);
  }
  bool Idle() {
    return Eventually([&] {
      const kube::QueueStats stats = controller_->loop().queue_stats();
      return controller_->loop().synced() && stats.depth == 0 && stats.in_work == 0 &&
             stats.done > 0;
    });
  }

  const kube::ObjectKey key_{"n", "s"};
  testing::FakeCluster cluster_;
  base::Guarded<api::ServerReport> report_{api::ServerReport{"0.1.0", 5, 3, 1 << 20, false, ""}};
  kube::KubeClient client_{cluster_, {kFieldManager, 10'000, 60'000, {}, {}}};
  std::unique_ptr<Controller> controller_;
};

TEST_F(ServerStory, AgentFindsTheServerThatItNames) {
  Give("Agent", "a", "{image: i, memory: {serverRef: s}}");
  EXPECT_TRUE(Eventually(
      [&] { return Condition(Agents(), "a", "MemoryResolved") == "False ServiceNotFound"; }));
  Give("MemoryServer", "s", "{}");
  ASSERT_TRUE(Eventually([&] { return Has(kube::StatefulSets()); }));
  EXPECT_TRUE(
      Eventually([&] { return Condition(Agents(), "a", "MemoryResolved") == "True Resolved"; }));
  Roll();
  EXPECT_TRUE(Becomes("Ready", "True Ready"));
  EXPECT_TRUE(Eventually(
      [&] { return Condition(Agents(), "a", "MemoryEndpointsReady") == "True EndpointsReady"; }));
  const Json status = (*cluster_.Get(MemoryServers(), key_))["status"];
  EXPECT_EQ(status["rows"], 3);
  EXPECT_EQ(status["version"], "0.1.0");
  const Json owner = (*cluster_.Get(kube::StatefulSets(), key_))["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner["kind"], "MemoryServer");
}

TEST_F(ServerStory, RestartedOperatorWritesNothing) {
  Give("MemoryServer", "s", "{}");
  ASSERT_TRUE(Eventually([&] { return Has(kube::StatefulSets()); }));
  Roll();
  ASSERT_TRUE(Becomes("Ready", "True Ready"));
  ASSERT_TRUE(Idle());
  controller_.reset();
  const size_t before = cluster_.mutations();
  Begin();
  ASSERT_TRUE(Idle());
  EXPECT_EQ(cluster_.mutations(), before);
}

TEST_F(ServerStory, MissingPodMonitorsAreReportedOnce) {
  Give("MemoryServer", "s", "{podMonitor: {enabled: true}}");
  EXPECT_TRUE(Becomes("Degraded", "True PodMonitorNotServed"));
  EXPECT_TRUE(Has(kube::StatefulSets())) << "the server is made all the same";
  Roll();
  EXPECT_TRUE(Becomes("Ready", "True Ready"));
  size_t asked = 0;
  for (const testing::Call& call : cluster_.calls())
    asked += call.Mutating() && call.path.find("podmonitors") != std::string::npos;
  EXPECT_EQ(asked, 1u);
}

TEST_F(ServerStory, DeletedAndDisabledObjectsAreCorrected) {
  Give("MemoryServer", "s", "{evictable: false}");
  ASSERT_TRUE(Eventually([&] { return Has(kube::PodDisruptionBudgets()); }));
  cluster_.Remove(kube::Services(), key_);
  EXPECT_TRUE(Eventually([&] { return Has(kube::Services()); }));
  Give("MemoryServer", "s", "{}");
  EXPECT_TRUE(Eventually([&] { return !Has(kube::PodDisruptionBudgets()); }));
}

TEST_F(ServerStory, BlockedServerProbeDelaysNoAgent) {
  Give("MemoryServer", "s", "{}");
  ASSERT_TRUE(Eventually([&] { return Has(kube::StatefulSets()); }));
  Roll();
  ASSERT_TRUE(Becomes("Ready", "True Ready"));
  ASSERT_TRUE(Idle());
  report_.With([&](api::ServerReport&) {  // meanwhile a probe of the server blocks
    cluster_.Remove(kube::EndpointSlices(), {"n", "s-x"});
    ASSERT_TRUE(Eventually([&] { return controller_->loop().queue_stats().in_work == 1; }));
    Give("Agent", "a", "{image: i}");
    EXPECT_TRUE(Eventually([&] {
      return cluster_.Get(kube::StatefulSets(), {"n", "a"}).has_value();
    }));
  });
}

TEST_F(ServerStory, PodWithOnlyTheLabelIsIgnored) {
  Give("MemoryServer", "s", "{}");
  ASSERT_TRUE(Eventually([&] { return Has(kube::StatefulSets()); }));
  Roll();
  ASSERT_TRUE(Becomes("Ready", "True Ready"));
  Json stray = *cluster_.Get(kube::Pods(), {"n", "s-0"});
  stray["metadata"] = {{"name", "stray"}, {"namespace", "n"}, {"labels", {{kServerLabel, "s"}}}};
  Json status = stray["status"];
  status["podIP"] = "10.0.0.66";
  stray.erase("status");
  cluster_.Remove(kube::Pods(), {"n", "s-0"});
  cluster_.Put(stray);
  cluster_.PutStatus(kube::Pods(), {"n", "stray"}, status);
  cluster_.Remove(kube::EndpointSlices(), {"n", "s-x"});  // requeues the server
  EXPECT_TRUE(Becomes("Ready", "False Progressing"));
  EXPECT_EQ((*cluster_.Get(MemoryServers(), key_))["status"]["rows"], 3);
}

TEST_F(ServerStory, SilentServerDelaysNoOther) {
  Give("MemoryServer", "s", "{}");
  ASSERT_TRUE(Eventually([&] { return Has(kube::StatefulSets()); }));
  Roll();
  cluster_.PutStatus(
      kube::Pods(), {"n", "s-0"},
      {{"phase", "Running"},
       {"podIP", "10.0.0.8"},
       {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
       {"containerStatuses", {{{"name", "server"}, {"state", {{"running", Json::object()}}}}}}});
  EXPECT_TRUE(Becomes("Degraded", "True ServerNotAnswering"));
  EXPECT_TRUE(Becomes("Ready", "True Ready"));
}

}  // namespace
}  // namespace controller
