// Test code: a ready Agent of mode task, a run of it, and a run with its Job, whose pod the test
// plays.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lib/base/process/clock.h"
#include "operator/crds/read_objects.h"
#include "operator/pods/injection.h"
#include "operator/run/plan.h"

namespace controller {

using base::Json;

inline constexpr int64_t kNow = 1'767'323'045'000;

inline Json Parse(const std::string& yaml) {
  auto objects = ReadObjects(yaml, "agents");
  EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
  return objects ? objects->at(0) : Json::object();
}

inline Json ReadyAgent(const std::string& more = "") {
  Json agent = Parse(
      "{apiVersion: agents.agentops.io/v1alpha1, kind: Agent, metadata: {name: a, uid: uid-a, "
      "generation: 2}, spec: {mode: task, image: x, args: [old], env: {A: agents, B: agents}, "
      "secrets: [{name: S, secretRef: {name: s, key: k}}], memory: {serverRef: m}" +
      more + "}}");
  agent["status"] = Json::parse(R"({"observedGeneration": 2,
      "memory": {"namespace": "agents", "service": "m", "url": "http://m.agents.svc:7437"},
      "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}]})");
  return agent;
}

inline Json NotReady(const char* type, const char* reason, const char* message, bool stalled) {
  Json agent = ReadyAgent();
  agent["status"]["conditions"] = {
      {{"type", "Ready"}, {"status", "False"}, {"reason", reason}, {"message", message}},
      {{"type", type}, {"status", "False"}, {"reason", reason}, {"message", message}},
      {{"type", "Stalled"}, {"status", stalled ? "True" : "False"}}};
  return agent;
}

inline Json RunOf(const std::string& more = "") {
  return Parse(
      "{apiVersion: agents.agentops.io/v1alpha1, kind: AgentRun, metadata: {name: r, uid: uid-r, "
      "generation: 1}, spec: {agentRef: a" +
      more + "}}");
}

inline ObservedRun Looked(Json run = RunOf(), Json agent = ReadyAgent()) {
  ObservedRun observed;
  observed.run = std::move(run);
  if (!agent.is_null()) observed.agent = std::move(agent);
  observed.children_read = true;
  return observed;
}

inline Plan PlanOf(const ObservedRun& observed, int64_t now_ms = kNow) {
  return MakeRunPlan(observed, {}, now_ms);
}

inline const Json* JobIn(const Plan& plan) {
  for (const Child& child : plan.apply)
    if (child.resource.kind == "Job") return &child.object;
  return nullptr;
}

inline const Json& AgentIn(const Plan& plan) {
  return (*JobIn(plan))["spec"]["template"]["spec"]["containers"][0];
}

inline std::string Variable(const Json& container, const std::string& name) {
  const Json* variable = FindNamed(container, "env", name);
  return variable ? base::StringAt(*variable, {"value"}, "(a reference)") : "(none)";
}

// "Ready Succeeded Stalled reason", which kstatus and kubectl wait read.
inline std::string Conditions(const Json& status) {
  std::string text;
  for (const char* type : {"Ready", "Succeeded", "Stalled"})
    for (const Json& condition : status["conditions"])
      if (condition["type"] == type) text += condition["status"].get<std::string>() + " ";
  return text + status["conditions"][1]["reason"].get<std::string>();
}

inline std::string Message(const Plan& plan) {
  return plan.status ? (*plan.status)["conditions"][0]["message"].get<std::string>()
                     : "(unchanged)";
}

// A run with its Job as a cluster would store it.
struct Made {
  ObservedRun observed = Looked();
  Made() {
    Json job = *JobIn(PlanOf(observed));
    job["metadata"]["uid"] = "uid-job";
    observed.children[{"Job", "r"}] = job;
  }
  Json& job() { return observed.children[{"Job", "r"}]; }
  Json& AddPod(const char* phase) {
    observed.pods.push_back(Json::parse(
        R"({"metadata": {"name": "r-x", "ownerReferences": [{"kind": "Job", "name": "r", "uid": "uid-job", "controller": true}]},
            "spec": {"initContainers": [{"name": "memory"}]},
            "status": {"initContainerStatuses": [{"name": "memory", "state": {"running": {}}}]}})"));
    observed.pods.back()["status"]["phase"] = phase;
    return observed.pods.back();
  }
  void AgentEnds(int code) {
    observed.pods.back()["status"]["containerStatuses"] = {
        {{"name", "agent"},
         {"state", {{"terminated", {{"exitCode", code}, {"reason", "Error"}}}}}}};
  }
  void SidecarEnds(int code, const std::string& words) {
    observed.pods.back()["status"]["initContainerStatuses"] = {
        {{"name", "memory"},
         {"state", {{"terminated", {{"exitCode", code}, {"message", words}}}}}}};
  }
  void JobEnds(const char* type) {
    job()["status"] = {{"startTime", "2026-01-02T03:00:00Z"},
                       {"conditions",
                        {{{"type", type},
                          {"status", "True"},
                          {"reason", "R"},
                          {"lastTransitionTime", "2026-01-02T03:01:00Z"}}}}};
  }
  Json Look() {
    const Plan plan = PlanOf(observed);
    EXPECT_TRUE(plan.apply.empty()) << "a Job that is there is never changed";
    if (plan.status) observed.run["status"] = *plan.status;
    return observed.run["status"];
  }
};

}  // namespace controller
