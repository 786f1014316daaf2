// Foreign pods without admission (e2e/operator/foreign_pods_test.py has that): the objects that the
// operator writes and removes, and its conditions if it cannot serve.
#include <gtest/gtest.h>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_cluster.h"
#include "operator/controller.h"
#include "operator/crds/read_objects.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/probes/admission_probe.h"

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

TEST_F(ForeignPodsTest, BindingAndPartsFollowTheAgentsSetting) {
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

TEST_F(ForeignPodsTest, BindingOfDeletedAgentIsRemoved) {
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

TEST_F(ForeignPodsTest, ForeignBindingIsUnchanged) {
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

TEST_F(ForeignPodsTest, TakenNameIsReportedAndKept) {
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

TEST_F(ForeignPodsTest, UnsupportedClusterIsReportedAndRestWorks) {
  Give(kAgentYaml);  // without a policy, like an older API server
  auto controller = Begin();
  EXPECT_TRUE(Eventually([&] { return Condition("ForeignPodsServed") == "False PolicyMissing"; }));
  EXPECT_EQ(Condition("Degraded"), "True PolicyMissing");
  EXPECT_TRUE(Eventually([&] { return Has(kube::StatefulSets(), {"n", "coder"}); }));
  EXPECT_FALSE(Has(InjectionBindings(), kBinding));
  EXPECT_TRUE(controller->Ready());
}

TEST_F(ForeignPodsTest, ProbeNamesTheReasonAndSkipsNeedlessCalls) {
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

}  // namespace
}  // namespace controller
