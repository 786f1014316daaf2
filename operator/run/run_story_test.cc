// AgentRuns in the controller, against the fake API server: the Job of a run, changes that wake a
// waiting run, and needless writes. The test plays the cluster's own controllers.
#include <gtest/gtest.h>

#include <thread>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/crds/read_objects.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;
using testing::Eventually;

constexpr int64_t kSoonMs = 2'000;
constexpr const char* kRunService =
    "{apiVersion: v1, kind: Service, metadata: {name: m}, spec: {ports: [{name: memory, port: "
    "7437}]}}";

class RunStory : public testing::Test {
 protected:
  RunStory() {
    for (const kube::Resource* kind : {&Agents(), &AgentTools(), &AgentRuns(), &MemoryServers()})
      cluster_.Serve(*kind);
    Begin();
  }
  void Begin() {
    controller_.reset();
    controller_ = std::make_unique<Controller>(client_, ControllerOptions{});
    controller_->Start();
  }
  void Give(const std::string& yaml) {
    auto objects = ReadObjects(yaml, "n");
    ASSERT_TRUE(objects) << objects.error().message;
    for (const Json& object : *objects) cluster_.Put(object);
  }
  void GiveAgent(const std::string& mode = "task", const std::string& image = "i:1") {
    Give(
        "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a}, spec: "
        "{mode: " +
        mode + ", image: '" + image + "', memory: {serverRef: m}}}");
  }
  void GiveRun(const std::string& more = "") {
    Give(
        "{apiVersion: agents.agentops.io/v1alpha1, kind: AgentRun, metadata: {name: r}, spec: "
        "{agentRef: a" +
        more + "}}");
  }
  Json Job() { return cluster_.Get(kube::Jobs(), key_).value_or(Json()); }
  Json Status() {
    const auto run = cluster_.Get(AgentRuns(), key_);
    return run && run->contains("status") ? (*run)["status"] : Json::object();
  }
  std::string Reason() {
    const Json status = Status();
    return status.contains("conditions") ? status["conditions"][1].value("reason", "") : "";
  }
  bool Says(const std::string& reason, int64_t timeout_ms = 10'000) {
    return Eventually([&] { return Reason() == reason; }, timeout_ms);
  }
  bool Idle() {
    return Eventually([&] {
      const kube::QueueStats stats = controller_->loop().queue_stats();
      return controller_->loop().synced() && stats.depth == 0 && stats.in_work == 0 &&
             stats.done > 0;
    });
  }
  // Ends pod and Job like the kubelet and the Job controller.
  void Ends(int code) {
    Json pod = Json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "r-x",
        "namespace": "n", "labels": {"agents.agentops.io/agent": "a", "agents.agentops.io/run": "r"}},
        "spec": {}})");
    pod["metadata"]["ownerReferences"] = {kube::ControllerReference(Job())};
    cluster_.Put(pod);
    cluster_.PutStatus(
        kube::Pods(), {"n", "r-x"},
        {{"phase", code == 0 ? "Succeeded" : "Failed"},
         {"initContainerStatuses",
          {{{"name", "memory"},
            {"state",
             {{"terminated",
               {{"exitCode", 143}, {"message", R"({"session": "s", "undelivered": 0})"}}}}}}}},
         {"containerStatuses",
          {{{"name", "agent"}, {"state", {{"terminated", {{"exitCode", code}}}}}}}}});
    cluster_.PutStatus(kube::Jobs(), key_,
                       {{"startTime", "2026-01-02T03:00:00Z"},
                        {"conditions",
                         {{{"type", code == 0 ? "Complete" : "Failed"},
                           {"status", "True"},
                           {"lastTransitionTime", "2026-01-02T03:01:00Z"}}}}});
  }
  size_t Writes() const {
    size_t writes = 0;
    for (const testing::Call& call : cluster_.calls())
      writes += call.Mutating() && call.path.find("/events") == std::string::npos;
    return writes;
  }

  const kube::ObjectKey key_{"n", "r"};
  testing::FakeCluster cluster_;
  kube::KubeClient client_{cluster_, {kFieldManager, 10'000, 60'000, {}, {}}};
  std::unique_ptr<Controller> controller_;
};

TEST_F(RunStory, RunBecomesAJobAndReportsItsEnd) {
  Give(kRunService);
  GiveAgent();
  GiveRun(", prompt: 'go'");
  ASSERT_TRUE(Eventually([&] { return !Job().is_null(); }));
  ASSERT_TRUE(Eventually([&] { return Status().value("job", "") == "r"; }));
  EXPECT_FALSE(cluster_.Get(kube::StatefulSets(), {"n", "a"})) << "a task is no daemon";
  Ends(3);
  ASSERT_TRUE(Says("AgentFailed", kSoonMs));
  const Json status = Status();
  EXPECT_EQ(status["exitCode"], 3);
  EXPECT_EQ(status["session"], "s");
  EXPECT_EQ(status["undelivered"], 0);
}

TEST_F(RunStory, WaitingRunContinuesInTwoSeconds) {
  GiveRun();
  ASSERT_TRUE(Says("AgentNotFound"));
  GiveAgent();
  ASSERT_TRUE(Says("MemoryNotResolved", kSoonMs));
  EXPECT_TRUE(Job().is_null());
  Give(kRunService);
  EXPECT_TRUE(Eventually([&] { return !Job().is_null(); }, kSoonMs));
}

TEST_F(RunStory, AgentEditChangesNoExistingJob) {
  Give(kRunService);
  GiveAgent();
  GiveRun();
  ASSERT_TRUE(Eventually([&] { return Status().value("job", "") == "r"; }));
  const Json job = Job();
  GiveAgent("task", "i:2");
  ASSERT_TRUE(Eventually([&] {
    const Json agent = *cluster_.Get(Agents(), {"n", "a"});
    return agent["status"]["observedGeneration"] == agent["metadata"]["generation"];
  }));
  ASSERT_TRUE(Idle());
  EXPECT_EQ(Job(), job);
}

TEST_F(RunStory, RestartWithoutChangesWritesNothing) {
  Give(kRunService);
  GiveAgent();
  GiveRun(", storage: {}, prompt: '" + std::string(40'000, 'x') + "'");
  ASSERT_TRUE(Eventually([&] { return Status().value("job", "") == "r"; }));
  for (const bool ended : {false, true}) {
    if (ended) {
      Ends(0);
      ASSERT_TRUE(Says("Completed"));
    }
    ASSERT_TRUE(Idle());
    const size_t before = Writes();
    Begin();
    ASSERT_TRUE(Idle());
    EXPECT_EQ(Writes(), before) << (ended ? "after" : "before");
  }
  // The run has ended: the deletion of its Agent, Job and pod does not matter.
  ASSERT_TRUE(cluster_.Remove(kube::Pods(), {"n", "r-x"}));
  ASSERT_TRUE(cluster_.Remove(kube::Jobs(), key_));
  ASSERT_TRUE(cluster_.Remove(Agents(), {"n", "a"}));
  const size_t before = Writes();
  Begin();
  ASSERT_TRUE(Idle());
  EXPECT_EQ(Writes(), before);
  EXPECT_EQ(Reason(), "Completed");
}

TEST_F(RunStory, LateCacheCreatesNoSecondJob) {
  Give(kRunService);
  GiveAgent();
  ASSERT_TRUE(Eventually([&] {
    const auto agent = cluster_.Get(Agents(), {"n", "a"});
    return agent && base::DumpJson(*agent).find("\"Resolved\"") != std::string::npos;
  }));
  ASSERT_TRUE(Idle());
  controller_.reset();
  // Another operator made the Job, which the operator's cache of Jobs lacks.
  GiveRun();
  Json job = {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata",
       {{"name", "r"},
        {"namespace", "n"},
        {"labels", {{kAgentLabel, "a"}}},
        {"ownerReferences", {kube::ControllerReference(*cluster_.Get(AgentRuns(), key_))}}}},
      {"spec", {{"template", {{"spec", {{"containers", {{{"name", "theirs"}}}}}}}}}}};
  cluster_.Put(job);  // without the run's label the cache never has it
  Begin();
  ASSERT_TRUE(Eventually([&] { return Status().value("job", "") == "r"; }));
  EXPECT_EQ(Job()["spec"], job["spec"]);
}

TEST_F(RunStory, RefusedJobIsReportedOnce) {
  cluster_.Inject({"APPLY", "/jobs/", 422, 0, false, 1'000});
  Give(kRunService);
  GiveAgent();
  GiveRun();
  ASSERT_TRUE(Says("Refused"));
  ASSERT_TRUE(Idle());
  const size_t before = Writes();
  EXPECT_LE(before, 12u);
  cluster_.ClearFaults();
  GiveAgent("task", "i:2");
  EXPECT_TRUE(Eventually([&] { return !Job().is_null(); }, kSoonMs))
      << "another Agent is another try";
}

TEST_F(RunStory, DaemonIsNotRun) {
  Give(kRunService);
  GiveAgent("daemon");
  GiveRun();
  ASSERT_TRUE(Says("AgentNotTask"));
  EXPECT_TRUE(Job().is_null());
}

TEST_F(RunStory, ForeignJobIsUnchanged) {
  Give(kRunService);
  GiveAgent();
  cluster_.Put({{"apiVersion", "batch/v1"},
                {"kind", "Job"},
                {"metadata", {{"name", "r"}, {"namespace", "n"}}},
                {"spec", {{"mine", "kept"}}}});
  GiveRun();
  ASSERT_TRUE(Says("NameTaken"));
  EXPECT_EQ(Job()["spec"], Json({{"mine", "kept"}}));
}

}  // namespace
}  // namespace controller
