// Faulty kubelets, and the nodes that a pod may be scheduled to.
#include "operator/pods/node_skew.h"

#include <gtest/gtest.h>

namespace controller {
namespace {

using base::Json;

Json Node(const std::string& name, const std::string& kubelet) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", name}, {"labels", {{"zone", "a"}}}}},
      {"spec", {{"podCIDR", "10.0.0.0/24"}}},
      {"status", {{"nodeInfo", {{"kubeletVersion", kubelet}}}, {"images", {{{"names", {"i"}}}}}}}};
}

Json Tainted(Json node, const std::string& key, const std::string& effect = "NoSchedule") {
  node["spec"]["taints"] = {
      {{"key", key}, {"value", "v"}, {"effect", effect}, {"timeAdded", "2026-01-01T00:00:00Z"}}};
  return node;
}

size_t Forgetting(const Json& node, const Json& pod_spec = Json::object()) {
  Json pruned = node;
  PruneNode(pruned);
  const size_t of_pruned = SkewOf({pruned}, &pod_spec).forgetting.size();
  EXPECT_EQ(SkewOf({node}, &pod_spec).forgetting.size(), of_pruned) << "pruned it looks the same";
  return of_pruned;
}

TEST(NodeSkew, KnowsFaultyKubelets) {
  const std::map<std::string, KubeletFault> faults = {
      {"v1.28.15", KubeletFault::kNoNativeSidecars},
      {"v1.29.0", KubeletFault::kNone},
      {"v1.34.9", KubeletFault::kNone},
      {"v1.35.0", KubeletFault::kForgetsRestarts},
      {"v1.35.0-rc.1", KubeletFault::kForgetsRestarts},
      {"v1.35.3-gke.1100", KubeletFault::kForgetsRestarts},
      {"v1.35.3+k3s1", KubeletFault::kForgetsRestarts},
      {"v1.35.4", KubeletFault::kNone},
      {"v1.35.10", KubeletFault::kNone},
      {"v1.36.0", KubeletFault::kNone},
      {"v2.0.0", KubeletFault::kNone},
  };
  for (const auto& [version, fault] : faults) EXPECT_EQ(FaultOf(version), fault) << version;
  for (const char* unreadable : {"", "v", "1.28.0", "v1", "v1.2", "v1.-5.0", "kwok-v0.7.0",
                                 "v1.x.2", "v99999999999999999999.1.1"})
    EXPECT_EQ(FaultOf(unreadable), KubeletFault::kNone) << unreadable;
}

TEST(NodeSkew, CountsOnlyNodesThatMayRunThePod) {
  const Json node = Node("n", "v1.35.1");
  EXPECT_EQ(Forgetting(node), 1u);
  EXPECT_EQ(Forgetting(node, {{"nodeSelector", {{"zone", "a"}}}}), 1u);
  EXPECT_EQ(Forgetting(node, {{"nodeSelector", {{"zone", "b"}}}}), 0u);
  EXPECT_EQ(Forgetting(node, {{"nodeSelector", {{"disk", "ssd"}}}}), 0u);
  EXPECT_EQ(Forgetting(node, {{"nodeSelector", {{"node-role.kubernetes.io/gpu", ""}}}}), 0u);
  Json cordoned = node, windows = node;
  cordoned["spec"]["unschedulable"] = true;
  windows["metadata"]["labels"]["kubernetes.io/os"] = "windows";
  EXPECT_EQ(Forgetting(cordoned), 0u);
  EXPECT_EQ(Forgetting(windows), 0u);
  EXPECT_EQ(Forgetting(Node("n", "v1.36.0")), 0u);
}

TEST(NodeSkew, UntoleratedTaintExcludesTheNode) {
  const Json node = Tainted(Node("n", "v1.35.1"), "gpu");
  auto tolerating = [](const char* toleration) {
    return Json{{"tolerations", Json::array({Json::parse(toleration)})}};
  };
  EXPECT_EQ(Forgetting(node), 0u);
  EXPECT_EQ(SkewOf({node}, nullptr).forgetting.size(), 1u) << "of a pod that nobody knows";
  EXPECT_EQ(Forgetting(node, tolerating(R"({"operator": "Exists"})")), 1u);
  EXPECT_EQ(Forgetting(node, tolerating(R"({"key": "gpu", "operator": "Exists"})")), 1u);
  EXPECT_EQ(Forgetting(node, tolerating(R"({"key": "gpu", "value": "v"})")), 1u);
  EXPECT_EQ(Forgetting(node, tolerating(R"({"key": "gpu", "value": "w"})")), 0u);
  EXPECT_EQ(Forgetting(node, tolerating(R"({"key": "gpu", "value": "v", "effect": "NoExecute"})")),
            0u);
  EXPECT_EQ(Forgetting(Tainted(Node("n", "v1.35.1"), "gpu", "PreferNoSchedule")), 1u);
  EXPECT_EQ(Forgetting(Tainted(Node("n", "v1.35.1"), "node.kubernetes.io/not-ready")), 1u)
      << "how it does at the moment comes and goes";
}

TEST(NodeSkew, HealthyNodeIsPrunedToItsName) {
  Json node = Tainted(Node("n", "v1.36.3"), "gpu");
  PruneNode(node);
  EXPECT_FALSE(node.contains("status")) << node;
  EXPECT_FALSE(node["metadata"].contains("labels")) << node;
}

TEST(NodeSkew, NamesFirstNodesAndRemedy) {
  NodeSkew skew;
  skew.without_sidecars = {"d", "b", "c", "a"};
  EXPECT_EQ(NodeSkewCondition(skew).reason, "NoNativeSidecars");
  EXPECT_NE(NodeSkewCondition(skew).message.find("a, b, c, …"), std::string::npos);
  skew = {{}, {"x"}};
  EXPECT_EQ(NodeSkewCondition(skew).reason, "KubeletForgetsRestarts");
  EXPECT_NE(NodeSkewCondition(skew).message.find("upgrade these kubelets to 1.35.4"),
            std::string::npos);
}

}  // namespace
}  // namespace controller
