// For tests of plans: an Agent, the objects of a cluster around it, and a cluster that stores
// applied objects.
#pragma once

#include <gtest/gtest.h>

#include "operator/agent/plan.h"
#include "operator/agent/resolve.h"
#include "operator/crds/read_objects.h"
#include "operator/names/names.h"

namespace controller {

using base::Json;

inline constexpr int64_t kNow = 1'767'323'045'000;

inline Json Parse(const std::string& yaml) {
  auto objects = ReadObjects(yaml, "agents");
  EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
  return objects ? objects->at(0) : Json::object();
}

inline Json Agent(const std::string& more = "", const std::string& memory = "") {
  return Parse(
      "apiVersion: agents.agentops.io/v1alpha1\nkind: Agent\nmetadata: {name: a, namespace: "
      "agents, uid: uid-a, "
      "generation: 1, creationTimestamp: \"2026-01-02T00:00:00Z\"}\nspec:\n  image: x:1\n  memory: "
      "{serverRef: m" +
      memory + "}\n" + more);
}

inline Json MemoryService() {
  return Json::parse(
      R"({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "m", "namespace": "agents"},
      "spec": {"type": "ClusterIP", "ports": [{"name": "memory", "port": 7437}]}})");
}

inline Json MemorySlice() {
  return Json::parse(R"({"kind": "EndpointSlice", "metadata": {"name": "m-x", "namespace": "agents",
      "labels": {"kubernetes.io/service-name": "m"}}, "endpoints": [{"addresses": ["10.0.0.8"]}]})");
}

inline Json Pod(bool ready, const std::string& policy_touch = "") {
  Json pod = Json::parse(
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a-0", "namespace": "agents",
      "uid": "uid-pod", "labels": {"agents.agentops.io/agent": "a"}},
      "spec": {"initContainers": [{"name": "memory", "image": "agent-memory/sidecar:dev", "resources":
        {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}}}]},
      "status": {"phase": "Running", "podIP": "10.0.0.9", "conditions": [{"type": "Ready", "status": "False"}],
        "initContainerStatuses": [{"name": "memory", "state": {"running": {}}}]}})");
  pod["status"]["conditions"][0]["status"] = ready ? "True" : "False";
  if (!policy_touch.empty()) pod["metadata"]["annotations"][kPolicyTouch] = policy_touch;
  return pod;
}

// A cluster that stores applied objects like an API server.
struct Cluster {
  Json agent;
  std::vector<Json> objects = {MemoryService(), MemorySlice()};
  std::map<std::string, std::string> digests = {}, refused = {};

  Plan Look(int64_t now_ms = kNow) const {
    ObservedAgent observed = Classify(agent, objects);
    observed.digests = digests;
    observed.refused = refused;
    return MakePlan(observed, {}, now_ms);
  }
  Plan Reconcile() {
    Plan plan = Look();
    for (const Child& child : plan.apply) {
      Json stored = child.object;
      stored["metadata"]["uid"] = "uid-" + child.resource.kind;
      stored["metadata"]["resourceVersion"] = "7";
      Remove(child.resource.kind, kube::KeyOf(child.object).name);
      objects.push_back(stored);
    }
    if (plan.status) agent["status"] = *plan.status;
    return plan;
  }
  void Remove(const std::string& kind, const std::string& name) {
    std::erase_if(objects, [&](const Json& object) {
      return object["kind"] == kind && object["metadata"]["name"] == name;
    });
  }
  Json* Find(const std::string& kind, const std::string& name) {
    for (Json& object : objects)
      if (object["kind"] == kind && object["metadata"]["name"] == name) return &object;
    return nullptr;
  }
};

inline Cluster Converged(Json agent = Agent()) {
  Cluster cluster{std::move(agent)};
  cluster.Reconcile();
  return cluster;
}

inline std::string Reason(const Plan& plan, const std::string& type) {
  if (!plan.status) return "unchanged";
  for (const Json& condition : (*plan.status)["conditions"])
    if (condition["type"] == type)
      return condition["status"].get<std::string>() + " " + condition["reason"].get<std::string>();
  return "absent";
}

}  // namespace controller
