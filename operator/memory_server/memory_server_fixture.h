// Test code: a MemoryServer, and its objects and pod in a cluster that the test plays.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lib/base/process/clock.h"
#include "operator/crds/read_objects.h"
#include "operator/memory_server/plan.h"
#include "operator/names/names.h"

namespace controller {

using base::Json;

inline constexpr int64_t kServerNow = 1'767'323'045'000;

inline Json ServerOf(const std::string& spec = "{}") {
  auto objects = ReadObjects(
      "{apiVersion: agents.agentops.io/v1alpha1, kind: MemoryServer, metadata: {name: s, uid: "
      "uid-s, generation: 1, creationTimestamp: '2026-01-02T00:00:00Z'}, spec: " +
          spec + "}",
      "agents");
  EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
  return objects ? objects->at(0) : Json::object();
}

inline std::vector<std::string> KindsIn(const Plan& plan) {
  std::vector<std::string> kinds;
  for (const Child& child : plan.apply) kinds.push_back(child.resource.kind);
  return kinds;
}

// A MemoryServer after its first plan, and its objects in the cluster.
struct Served {
  ObservedServer observed;
  int64_t now_ms = kServerNow;
  Settings settings;

  explicit Served(const std::string& spec = "{}") {
    observed.server = ServerOf(spec);
    Look();
  }
  // One reconcile, whose applies, removals and patches take effect.
  Plan Look() {
    Plan plan = MakeServerPlan(observed, settings, now_ms);
    for (const Child& child : plan.apply) {
      Json& present = observed.children[{child.resource.kind, "s"}];
      const Json before = present;
      present = child.object;
      present["metadata"]["uid"] = "uid-" + child.resource.plural;
      const bool changed = before.is_null() || before["spec"] != present["spec"];
      present["metadata"]["generation"] = kube::GenerationOf(before) + (changed ? 1 : 0);
      if (!before.is_null() && before.contains("status")) present["status"] = before["status"];
    }
    for (const Removal& removal : plan.remove)
      observed.children.erase({removal.resource.kind, "s"});
    for (const Patch& patch : plan.patch) observed.claim->merge_patch(patch.body);
    if (plan.status) observed.server["status"] = *plan.status;
    return plan;
  }
  Json& set() { return observed.children[{"StatefulSet", "s"}]; }
  Json& container() { return set()["spec"]["template"]["spec"]["containers"][0]; }
  // Makes a pod of the present template, like the StatefulSet controller and the kubelet.
  void Roll(bool ready = true) {
    const std::string generation = std::to_string(kube::GenerationOf(set()));
    set()["status"] = {{"observedGeneration", kube::GenerationOf(set())},
                       {"updateRevision", "s-" + generation}};
    if (!observed.claim)
      observed.claim =
          Json{{"metadata", {{"name", "data-s-0"}, {"namespace", "agents"}, {"uid", "uid-claim"}}},
               {"status", {{"phase", "Bound"}}}};
    Json pod = {{"metadata",
                 {{"name", "s-0"},
                  {"namespace", "agents"},
                  {"uid", "uid-pod-" + generation},
                  {"labels", {{"controller-revision-hash", "s-" + generation}}},
                  {"ownerReferences", {kube::ControllerReference(set())}}}},
                {"spec", {{"containers", {container()}}}},
                {"status",
                 {{"phase", "Running"},
                  {"podIP", "10.0.0.7"},
                  {"conditions", {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}},
                  {"containerStatuses",
                   {{{"name", "server"}, {"state", {{"running", Json::object()}}}}}}}}};
    observed.pods = {pod};
  }
  Json& deployment() { return observed.children[{"Deployment", "s"}]; }
  // Makes `pods` of the present template, like the Deployment's controllers and the kubelet; the
  // last `unready` of them wait for their container.
  void RollReplicas(int pods, int unready = 0) {
    const int64_t generation = kube::GenerationOf(deployment());
    deployment()["status"] = {{"observedGeneration", generation},
                              {"replicas", pods},
                              {"updatedReplicas", pods},
                              {"readyReplicas", pods - unready}};
    observed.pods.clear();
    for (int i = 0; i < pods; ++i) {
      const bool ready = i < pods - unready;
      const std::string name = "s-" + std::to_string(generation) + "-" + std::to_string(i);
      Json set = {{"apiVersion", "apps/v1"},
                  {"kind", "ReplicaSet"},
                  {"metadata", {{"name", "s-x"}, {"uid", "uid-x"}}}};
      observed.pods.push_back(
          {{"metadata",
            {{"name", name},
             {"namespace", "agents"},
             {"uid", "uid-" + name},
             {"creationTimestamp", "2026-01-02T00:00:00Z"},
             {"ownerReferences", {kube::ControllerReference(set)}}}},
           {"spec", deployment()["spec"]["template"]["spec"]},
           {"status",
            {{"phase", ready ? "Running" : "Pending"},
             {"conditions", {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}});
    }
  }
  void Says(int64_t rows, int64_t bytes = 5 << 20, const std::string& error = "") {
    observed.report = api::ServerReport{"0.1.0", 5, rows, bytes, false, error};
  }
  // The pod's container has exited with this code repeatedly.
  void Fails(int exit_code) {
    observed.report.reset();
    observed.pods[0]["status"]["conditions"][0]["status"] = "False";
    observed.pods[0]["status"]["containerStatuses"] = {
        {{"name", "server"},
         {"image", base::StringAt(container(), {"image"})},
         {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}},
         {"lastState", {{"terminated", {{"exitCode", exit_code}}}}}}};
  }
  const Json& status() { return observed.server["status"]; }
  // "True Ready", "(none)"
  std::string Condition(const std::string& type) { return Find(type, "reason"); }
  std::string Message(const std::string& type) { return Find(type, "message"); }

 private:
  std::string Find(const std::string& type, const char* field) {
    for (const Json& condition : status()["conditions"])
      if (condition["type"] == type)
        return condition["status"].get<std::string>() + " " + condition[field].get<std::string>();
    return "(none)";
  }
};

}  // namespace controller
