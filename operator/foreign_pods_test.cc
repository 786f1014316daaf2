// Pods of others, without an API server's admission (that is e2e/operator/foreign_pods_test.py): what the
// operator writes and takes away, what it says where it cannot, and what `explain` says.
#include "operator/foreign_pods.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "lib/base/json/yaml.h"
#include "lib/base/process/random.h"
#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/admission_probe.h"
#include "operator/controller.h"
#include "operator/explain.h"
#include "operator/file_request.h"
#include "operator/names.h"
#include "operator/pod_injection.h"

namespace controller {
namespace {

using base::Json;

constexpr const char* kPolicy = "policy";
constexpr const char* kAgentYaml =
    "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: coder}, spec: {image: "
    "'i:1', injection: {foreignPods: true}, memory: {serverRef: m}}}";
const kube::ObjectKey kBinding{"", "n.coder"};

using testing::Eventually;

class ForeignPodsTest : public testing::Test {
 protected:
  ForeignPodsTest() : client_(cluster_) {
    for (const kube::Resource& kind : {Agents(), AgentTools(), AgentRuns(), MemoryServers(),
                                       InjectionPolicies(), InjectionBindings()})
      cluster_.Serve(kind);
  }
  void Give(const std::string& yaml) {
    const auto objects = ReadObjects(yaml, "n");
    ASSERT_TRUE(objects) << objects.error().message;
    for (const Json& object : *objects) cluster_.Put(object);
  }
  void GivePolicy() {
    cluster_.Put({{"apiVersion", InjectionPolicies().ApiVersion()},
                  {"kind", InjectionPolicies().kind},
                  {"metadata", {{"name", kPolicy}}}});
  }
  std::unique_ptr<Controller> Begin() {
    ControllerOptions options;
    options.settings.foreign_pods = ProbeForeignPods(client_, kPolicy, {}).value();
    auto controller = std::make_unique<Controller>(client_, std::move(options));
    controller->Start();
    return controller;
  }
  bool Has(const kube::Resource& kind, const kube::ObjectKey& key) {
    return cluster_.Get(kind, key).has_value();
  }
  // "True Served"; empty: no such condition.
  std::string Condition(const std::string& type) {
    const auto agent = cluster_.Get(Agents(), {"n", "coder"});
    const Json* all = agent ? base::At(*agent, {"status", "conditions"}) : nullptr;
    for (const Json& condition : all ? *all : Json::array())
      if (condition["type"] == type)
        return base::StringAt(condition, {"status"}) + " " + base::StringAt(condition, {"reason"});
    return "";
  }

  testing::FakeCluster cluster_;
  kube::KubeClient client_;
};

TEST_F(ForeignPodsTest, AnAgentThatAllowsThemHasABindingAndItsPartsUntilItDoesNot) {
  GivePolicy();
  Give(kAgentYaml);
  auto controller = Begin();
  ASSERT_TRUE(Eventually([&] { return Has(InjectionBindings(), kBinding); }));
  auto parts = [&] {
    return base::At(*cluster_.Get(Agents(), {"n", "coder"}), {"status", "foreignPods"}) != nullptr;
  };
  EXPECT_TRUE(Eventually(parts)) << "what the binding points at";
  const Json binding = *cluster_.Get(InjectionBindings(), kBinding);
  EXPECT_EQ(base::StringAt(binding, {"spec", "policyName"}), kPolicy);
  EXPECT_EQ(base::StringAt(binding, {"spec", "paramRef", "parameterNotFoundAction"}), "Deny");
  EXPECT_TRUE(Eventually([&] { return Condition("ForeignPodsServed") == "True Served"; }));
  std::string without = kAgentYaml;
  without.replace(without.find("true"), 4, "false");
  Give(without);
  EXPECT_TRUE(Eventually([&] { return !Has(InjectionBindings(), kBinding); }));
  EXPECT_TRUE(Eventually([&] { return !parts(); }));
  EXPECT_TRUE(Eventually([&] { return Condition("ForeignPodsServed").empty(); }));
}

TEST_F(ForeignPodsTest, ABindingGoesWithItsAgentAlsoWhenNobodyLooked) {
  GivePolicy();
  Give(kAgentYaml);
  auto controller = Begin();
  ASSERT_TRUE(Eventually([&] { return Has(InjectionBindings(), kBinding); }));
  cluster_.Remove(Agents(), {"n", "coder"});
  EXPECT_TRUE(Eventually([&] { return !Has(InjectionBindings(), kBinding); }));

  Give(kAgentYaml);
  ASSERT_TRUE(Eventually([&] { return Has(InjectionBindings(), kBinding); }));
  controller.reset();
  cluster_.Remove(Agents(), {"n", "coder"});
  EXPECT_TRUE(Has(InjectionBindings(), kBinding));
  controller = Begin();
  EXPECT_TRUE(Eventually([&] { return !Has(InjectionBindings(), kBinding); }));
}

TEST_F(ForeignPodsTest, ABindingOfAnotherClassOrOfAPersonIsLeftAlone) {
  GivePolicy();
  auto binding = [&](const char* name, const char* manager, const char* of_class) {
    cluster_.Put({{"apiVersion", InjectionBindings().ApiVersion()},
                  {"kind", InjectionBindings().kind},
                  {"metadata",
                   {{"name", name},
                    {"labels", {{kAgentLabel, "coder"}, {kManagedByLabel, manager}}},
                    {"annotations", {{kClassAnnotation, of_class}}}}},
                  {"spec", {{"paramRef", {{"namespace", "n"}}}}}});
  };
  binding("n.coder", kManagedBy, "other");
  binding("o.coder", "kubectl", "");
  Give(
      "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: z}, spec: {image: "
      "i}}");
  auto controller = Begin();
  ASSERT_TRUE(Eventually([&] { return Has(kube::StatefulSets(), {"n", "z"}); }));
  ASSERT_TRUE(Eventually([&] {
    const auto stats = controller->loop().queue_stats();
    return stats.depth == 0 && stats.in_work == 0;
  }));
  EXPECT_TRUE(Has(InjectionBindings(), {"", "n.coder"}));
  EXPECT_TRUE(Has(InjectionBindings(), {"", "o.coder"}));
}

TEST_F(ForeignPodsTest, ANameThatIsTakenIsSaidAndNotTakenAway) {
  GivePolicy();
  cluster_.Put({{"apiVersion", InjectionBindings().ApiVersion()},
                {"kind", InjectionBindings().kind},
                {"metadata", {{"name", "n.coder"}}},
                {"spec", {{"policyName", "theirs"}}}});
  Give(kAgentYaml);
  auto controller = Begin();
  EXPECT_TRUE(Eventually([&] { return Condition("Stalled") == "True NameTaken"; }));
  EXPECT_EQ(base::StringAt(*cluster_.Get(InjectionBindings(), kBinding), {"spec", "policyName"}),
            "theirs");
}

TEST_F(ForeignPodsTest, WhereTheServerCannotTheAgentSaysSoAndTheRestWorks) {
  Give(kAgentYaml);  // and no policy: an older server answers just so
  auto controller = Begin();
  EXPECT_TRUE(Eventually([&] { return Condition("ForeignPodsServed") == "False PolicyMissing"; }));
  EXPECT_EQ(Condition("Degraded"), "True PolicyMissing");
  EXPECT_TRUE(Eventually([&] { return Has(kube::StatefulSets(), {"n", "coder"}); }));
  EXPECT_FALSE(Has(InjectionBindings(), kBinding));
  EXPECT_TRUE(controller->Ready());
}

TEST_F(ForeignPodsTest, TheProbeTellsWhyNotAndAsksNothingWhereItNeedNot) {
  EXPECT_EQ(ProbeForeignPods(client_, "", {})->reason, "NotOffered");
  EXPECT_EQ(ProbeForeignPods(client_, kPolicy, {"n"})->reason, "SingleNamespaces");
  EXPECT_TRUE(cluster_.calls().empty());
  GivePolicy();
  EXPECT_EQ(ProbeForeignPods(client_, kPolicy, {})->policy, kPolicy);
  cluster_.Inject({"LIST", "mutatingadmissionpolicybindings", 403});
  EXPECT_EQ(ProbeForeignPods(client_, kPolicy, {})->reason, "NotAllowed");
  cluster_.Inject({"GET", "mutatingadmissionpolicies", 403});
  EXPECT_EQ(ProbeForeignPods(client_, kPolicy, {})->reason, "NotAllowed");
  cluster_.Inject({"GET", "mutatingadmissionpolicies", 503});
  EXPECT_FALSE(ProbeForeignPods(client_, kPolicy, {})) << "the next start asks again";
}

TEST(ForeignPods, APodsOwnSidecarKeepsItsImageAndResourcesAndNotItsSecurity) {
  SidecarShape shape;
  shape.image = "ours:1";
  const Json parts = ForeignParts(shape);
  Json pod = Json::parse(R"({"metadata": {}, "spec": {
      "initContainers": [{"name": "a"}, {"name": "memory", "image": "mine:2", "args": ["x"],
        "securityContext": {"privileged": true}, "resources": {"limits": {"cpu": "1"}}}],
      "containers": [{"name": "c", "env": [{"name": "AGENT_MEMORY_URL", "value": "u"}]}]}})");
  InjectIntoForeignPod(pod, parts, "First");
  const Json once = pod, &sidecar = pod["spec"]["initContainers"][1];
  EXPECT_EQ(sidecar["image"], "mine:2");
  EXPECT_EQ(sidecar["resources"]["requests"], Json::parse(R"({"cpu": "1", "memory": "32Mi"})"));
  EXPECT_EQ(sidecar["securityContext"], SidecarContainer(shape)["securityContext"]);
  EXPECT_EQ(sidecar["args"], SidecarContainer(shape)["args"]);
  EXPECT_EQ(kube::AnnotationOf(pod, kClamped), "securityContext");
  EXPECT_EQ(pod["spec"]["containers"][0]["env"].size(), 1u) << "the pod's own value stands";
  InjectIntoForeignPod(pod, parts, "First");
  EXPECT_EQ(pod, once) << "twice is once";
}

class ExplainTest : public testing::Test {
 protected:
  ExplainTest() { std::filesystem::create_directory(folder_); }
  ~ExplainTest() override { std::filesystem::remove_all(folder_); }
  struct Answer {
    int code;
    std::string out, err;
  };
  Answer Explain(const std::string& yaml) {
    std::ofstream(folder_ / "x.yaml") << yaml;
    std::ostringstream out, err;
    const int code = RunExplain({"pod", "-f", (folder_ / "x.yaml").string()}, out, err);
    return {code, out.str(), err.str()};
  }
  static std::string Pod(const std::string& agent, const std::string& spec = "") {
    return "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, labels: "
           "{agents.agentops.io/memory: '" +
           agent + "'}}, spec: {containers: [{name: app, image: a}]" + spec + "}}\n";
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("explain-" + base::RandomHex(8));
};

TEST_F(ExplainTest, APodOfAnAgentIsShownAsItBecomes) {
  const Answer answer = Explain(std::string(kAgentYaml) + "\n" + Pod("coder"));
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json pod = base::ParseYaml(answer.out).value();
  EXPECT_EQ(pod["spec"]["initContainers"][0]["name"], "memory");
  EXPECT_NE(answer.err.find("Pod default/p gets the memory of Agent default/coder"),
            std::string::npos)
      << answer.err;
}

TEST_F(ExplainTest, WhatMakesPodsIsExplainedByThePodItMakes) {
  const std::string made =
      "{metadata: {labels: {agents.agentops.io/memory: coder}}, spec: {containers: [{name: app, "
      "image: a}]}}";
  for (const char* kind : {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"}) {
    const Answer answer =
        Explain(std::string(kAgentYaml) + "\n---\n{apiVersion: apps/v1, kind: " + kind +
                ", metadata: {name: w}, spec: {template: " + made + "}}\n");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(base::ParseYaml(answer.out).value()["spec"]["initContainers"][0]["name"], "memory");
    EXPECT_NE(answer.err.find("a Pod of " + std::string(kind) + " default/w gets the memory of"),
              std::string::npos)
        << answer.err;
  }
  const Answer timed = Explain(std::string(kAgentYaml) +
                               "\n---\n{apiVersion: batch/v1, kind: CronJob, metadata: {name: w}, "
                               "spec: {jobTemplate: {spec: {template: " +
                               made + "}}}}\n");
  EXPECT_NE(timed.err.find("a Pod of CronJob default/w gets"), std::string::npos) << timed.err;
  for (const char* odd : {"{}", "{template: 7}", "[]", "{template: {metadata: 7}}"})
    EXPECT_NO_THROW(Explain(std::string(kAgentYaml) +
                            "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, "
                            "spec: " +
                            odd + "}\n"))
        << odd;
}

TEST_F(ExplainTest, ARefusedPodHasItsReasonAndExitCode) {
  std::string closed = kAgentYaml;
  closed.replace(closed.find("true"), 4, "false");
  const std::tuple<std::string, std::string, const char*> cases[] = {
      {kAgentYaml, Pod("coder", ", securityContext: {runAsUser: 0}"), "runAsUser is 0"},
      {kAgentYaml, Pod("codr"), "there is no Agent codr in namespace default"},
      {closed, Pod("coder"), "foreignPods"},
  };
  for (const auto& [agent, pod, reason] : cases) {
    const Answer answer = Explain(agent + "\n" + pod);
    EXPECT_EQ(answer.code, 1);
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.err.find(reason), std::string::npos) << answer.err;
  }
}

TEST_F(ExplainTest, APodThatNoSidecarCouldServeIsLeftAsItIs) {
  const std::pair<std::string, const char*> cases[] = {
      {Pod("coder", ", hostNetwork: true"), "hostNetwork"},
      {Pod("coder", ", os: {name: windows}"), "Windows"},
      {Pod("coder", ", nodeSelector: {kubernetes.io/os: windows}"), "Windows"},
  };
  for (const auto& [pod, reason] : cases) {
    const Answer answer = Explain(std::string(kAgentYaml) + "\n" + pod);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_FALSE(base::ParseYaml(answer.out).value()["spec"].contains("initContainers"));
    EXPECT_NE(answer.err.find("left as it is: it"), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find(reason), std::string::npos) << answer.err;
  }
}

TEST_F(ExplainTest, APodWithoutTheLabelIsLeftAlone) {
  const Answer answer = Explain(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "
      "a}]}}");
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.err.find("left as it is"), std::string::npos) << answer.err;
  EXPECT_EQ(answer.out.find("memory"), std::string::npos) << answer.out;
}

TEST_F(ExplainTest, WrongCallsAre64) {
  std::ostringstream out, err;
  EXPECT_EQ(RunExplain({}, out, err), 64);
  EXPECT_EQ(RunExplain({"pod"}, out, err), 64);
  EXPECT_EQ(RunExplain({"--fil", "x"}, out, err), 64);
  EXPECT_EQ(RunExplain({"--help"}, out, err), 0);
  EXPECT_EQ(Explain(kAgentYaml).code, 1) << "no Pod in the files";
}

}  // namespace
}  // namespace controller
