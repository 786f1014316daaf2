// One function for each condition; Ready is the last, since it depends on others.
#include "operator/agent/status.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "lib/kube/object/conditions.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;
using kube::Condition;
using kube::Truth;

struct View {
  const api::Agent& agent;
  const ObservedAgent& observed;
  const Findings& findings;
  std::vector<PodState> pods;  // without those being deleted
};

Condition MemoryResolved(const View& view) {
  const Resolution& r = view.findings.resolution;
  return {"MemoryResolved", r.resolved ? Truth::kTrue : Truth::kFalse, r.reason, r.message};
}

Condition MemoryEndpointsReady(const View& view) {
  const Resolution& r = view.findings.resolution;
  const std::string service = "Service " + r.name_space + "/" + r.service;
  if (!r.resolved)
    return {"MemoryEndpointsReady", Truth::kUnknown, "NotResolved", "the Service does not exist"};
  if (!r.counts_endpoints)
    return {"MemoryEndpointsReady", Truth::kUnknown, r.reason,
            service + " has no endpoints that can be counted"};
  if (r.ready_endpoints == 0)
    return {
        "MemoryEndpointsReady", Truth::kFalse, "NoReadyEndpoints",
        service +
            " has no ready endpoint: the memory server is down or not ready; captures wait on the "
            "agent's volume"};
  return {"MemoryEndpointsReady", Truth::kTrue, "EndpointsReady",
          service + " has " + std::to_string(r.ready_endpoints) + " ready endpoints"};
}

Condition SidecarInjected(const View& view) {
  for (const PodState& pod : view.pods)
    if (!pod.has_sidecar)
      return {"SidecarInjected", Truth::kFalse, "PodPredatesMemory",
              "pod " + pod.name + " was made before spec.memory: kubectl delete pod -n " +
                  view.agent.name_space + " " + pod.name + " recreates it"};
  if (view.findings.template_image.empty())
    return {"SidecarInjected", Truth::kUnknown, "Progressing", "the workload is not there yet"};
  return {"SidecarInjected", Truth::kTrue, "Injected",
          "the sidecar is in the workload's template and in " + std::to_string(view.pods.size()) +
              " pods"};
}

size_t PodsInSync(const View& view) {
  size_t in_sync = 0;
  for (const PodState& pod : view.pods) {
    auto digest = view.observed.digests.find(pod.name);
    in_sync +=
        digest != view.observed.digests.end() && digest->second == view.findings.policy_digest;
  }
  return in_sync;
}

Condition PolicyInSync(const View& view) {
  const size_t in_sync = PodsInSync(view), pods = view.pods.size();
  const std::string count = std::to_string(in_sync) + " of " + std::to_string(pods) + " pods";
  if (pods == 0) return {"PolicyInSync", Truth::kUnknown, "NoPods", "there is no pod to ask"};
  if (in_sync == pods)
    return {"PolicyInSync", Truth::kTrue, "InSync", count + " have the policy in force"};
  for (const PodState& pod : view.pods) {
    if (view.observed.digests.contains(pod.name)) continue;
    const std::string where = count + " have it in force; the sidecar of " + pod.name;
    if (!pod.sidecar_running)
      return {"PolicyInSync", Truth::kUnknown, "SidecarNotRunning", where + " does not run"};
    return {"PolicyInSync", Truth::kUnknown, "SidecarNotReached",
            where + " does not answer on port " + std::to_string(kSidecarAdminPort)};
  }
  return {"PolicyInSync", Truth::kFalse, "Pending", count + " have the newest policy in force"};
}

bool HasDenials(const api::Agent& agent) {
  for (const char* field : {"allowedPaths", "blockedCommands"}) {
    const Json* list = base::At(agent.spec, {"toolHooks", field});
    if (list && list->is_array() && !list->empty()) return true;
  }
  return false;
}

// Names the rules whose scope global becomes project, without spec.memory.allowGlobal; empty: none.
std::string NarrowedRules(const api::Agent& agent) {
  const Json* rules = base::At(agent.spec, {"toolHooks", "memorySaveRules"});
  const Json* allowed = base::At(agent.spec, {"memory", "allowGlobal"});
  if (!rules || !rules->is_array() || (allowed && *allowed == true)) return "";
  std::vector<std::string> names;
  for (size_t i = 0; i < rules->size(); ++i) {
    const Json& rule = (*rules)[i];
    if (base::StringAt(rule, {"scope"}) != "global") continue;
    const std::string name = base::StringAt(rule, {"name"});
    names.push_back(name.empty() ? "memorySaveRules[" + std::to_string(i) + "]" : name);
  }
  if (names.empty()) return "";
  return "; scope global is kept as project for " + base::Join(names, ", ") +
         ": spec.memory.allowGlobal is not true";
}

Condition RulesAccepted(const View& view) {
  if (view.findings.rule_faults.empty())
    return {"RulesAccepted", Truth::kTrue, "Accepted",
            "every regular expression compiles" + NarrowedRules(view.agent) +
                (HasDenials(view.agent)
                     ? "; allowedPaths and blockedCommands judge the strings of a call's "
                       "arguments, but no prose (contents, descriptions: reported as unjudged) and "
                       "not what a program that the call starts does on its own"
                     : "")};
  return {"RulesAccepted", Truth::kFalse, "RulesRejected",
          base::Join(view.findings.rule_faults, "; ") + "; the others are in force" +
              NarrowedRules(view.agent)};
}

Condition UpToDate(const Rollout& rollout) {
  const Truth truth = rollout.reason == "Current" || rollout.reason == "ScaledToZero" ? Truth::kTrue
                      : rollout.reason == "NoPods" || rollout.reason == "MadeEarlier"
                          ? Truth::kUnknown
                          : Truth::kFalse;
  return {"UpToDate", truth, rollout.reason, rollout.message};
}

// Fields that this version accepts and does not implement.
std::vector<std::string> NotServed(const api::Agent& agent) {
  std::vector<std::string> names;
  if (!agent.memory) return names;
  const Json& memory = agent.memory->fields;
  const Json* ingest = base::At(memory, {"ingest", "enabled"});
  if (ingest && *ingest == true && base::StringAt(memory, {"ingest", "extractor"}) == "llm")
    names.push_back("memory.ingest.extractor: llm");
  if (!base::StringAt(memory, {"embeddings", "endpoint"}).empty())
    names.push_back("memory.embeddings");
  return names;
}

bool HasShares(const Shares& shares) {
  return !shares.readers.empty() || !shares.writers.empty() || !shares.missing.empty();
}

Condition SharesGranted(const View& view) {
  const Shares& shares = view.findings.shares;
  std::vector<std::string> parts;
  if (!shares.readers.empty()) parts.push_back(base::Join(shares.readers, ", ") + " may read");
  if (!shares.writers.empty())
    parts.push_back(base::Join(shares.writers, ", ") + " may read and write");
  if (!shares.missing.empty())
    parts.push_back("not there yet, and granted nothing until then: Agent " +
                    base::Join(shares.missing, ", "));
  return {"SharesGranted", shares.missing.empty() ? Truth::kTrue : Truth::kFalse,
          shares.missing.empty() ? "Granted" : "AgentMissing",
          "of shared memory " + view.agent.name + ": " + base::Join(parts, "; ")};
}

Json SharePart(const Shares& shares) {
  Json share = Json::object();
  for (const auto& [name, agents] : {std::pair("read", &shares.readers),
                                     {"write", &shares.writers},
                                     {"missing", &shares.missing}})
    if (!agents->empty()) share[name] = *agents;
  return share;
}

Condition ForeignPodsServed(const View& view) {
  const ForeignPods& served = view.findings.foreign_pods;
  if (!served.Served()) return {"ForeignPodsServed", Truth::kFalse, served.reason, served.message};
  const std::string by = served.policy.empty() ? "MutatingWebhookConfiguration " + served.webhook
                                               : "MutatingAdmissionPolicy " + served.policy;
  return {"ForeignPodsServed", Truth::kTrue, "Served",
          by + " puts the sidecar into new pods of namespace " + view.agent.name_space +
              " with the label " + kMemoryLabel + "=" + view.agent.name};
}

Condition Degraded(const View& view, const Condition& endpoints) {
  std::vector<std::string> reasons, messages;
  auto add = [&](const char* reason, const std::string& message) {
    reasons.push_back(reason);
    messages.push_back(message);
  };
  if (!view.observed.conflicts.empty())
    add("FieldConflict", base::Join(view.observed.conflicts, "; ") +
                             ": another controller applies the same fields and keeps them; let it "
                             "leave them out, set in the Agent what it sets, or delete the object: "
                             "it is made again");
  if (view.agent.memory && !view.findings.rule_faults.empty())
    add("RulesRejected", "rules are left out, see RulesAccepted");
  if (view.agent.memory && endpoints.status == Truth::kFalse)
    add("NoReadyEndpoints", endpoints.message);
  if (const auto& missing = view.findings.shares.missing; !missing.empty())
    add("ShareAgentMissing",
        "memory.share names Agents that are not in this namespace: " + base::Join(missing, ", "));
  if (view.findings.storage_differs)
    add("StorageNotChanged",
        "spec.storage differs from the claim, which this version does not change");
  if (WantsForeignPods(view.agent) && !view.findings.foreign_pods.Served())
    add(view.findings.foreign_pods.reason.c_str(), view.findings.foreign_pods.message);
  if (view.observed.uninjected.count > 0)
    add("PodsWithoutMemory",
        DescribeUninjected(view.observed.uninjected, {view.agent.name_space, view.agent.name},
                           WantsUninjectedReplaced(view.observed.agent)));
  if (auto names = NotServed(view.agent); !names.empty())
    add("NotYetServed", "accepted, and not served by this version: " + base::Join(names, ", "));
  if (reasons.empty()) return {"Degraded", Truth::kFalse, "AsSpecified", "nothing is missing"};
  return {"Degraded", Truth::kTrue, reasons.front(), base::Join(messages, "; ")};
}

// Faults that only a person can correct.
Condition Stalled(const View& view) {
  const Findings& f = view.findings;
  if (!f.template_fault.empty())
    return {"Stalled", Truth::kTrue, f.image_missing ? "ImageMissing" : "TemplateInvalid",
            f.template_fault};
  if (!f.taken_names.empty())
    return {"Stalled", Truth::kTrue, "NameTaken",
            "not made by this Agent and left alone: " + base::Join(f.taken_names, ", ") +
                "; rename the Agent, or delete the object of that name"};
  if (f.claim.state == ClaimState::kLeftover)
    return {"Stalled", Truth::kTrue, "VolumeNotAdopted",
            "an earlier Agent's volume is in the way, see VolumeReady"};
  if (!f.refused.empty())
    return {"Stalled", Truth::kTrue, "Refused", "the API server refused: " + f.refused};
  if (f.resolution.reason == "ReferenceNotGranted")
    return {"Stalled", Truth::kTrue, "ReferenceNotGranted", f.resolution.message};
  return {"Stalled", Truth::kFalse, "Progressing", "nothing needs a person"};
}

// Like a Deployment, an Agent with 0 replicas is Ready when no pod is left.
Condition ScaledToZero(const View& view) {
  if (view.findings.own_pods > 0)
    return {"Ready", Truth::kFalse, "Progressing", "its pod has not ended yet"};
  if (!view.findings.settled)
    return {"Ready", Truth::kFalse, "Progressing", "its StatefulSet is not scaled to 0 yet"};
  return {"Ready", Truth::kTrue, "ScaledToZero",
          "spec.replicas is 0: no pod runs, the volume is kept; kubectl scale agent -n " +
              view.agent.name_space + " " + view.agent.name + " --replicas=1 brings it back"};
}

Condition Ready(const View& view, const Condition& stalled, const Condition& resolved) {
  auto no = [](const Condition& why) {
    return Condition{"Ready", Truth::kFalse, why.reason, why.message};
  };
  if (stalled.status == Truth::kTrue) return no(stalled);
  if (view.agent.memory && resolved.status != Truth::kTrue) return no(resolved);
  if (!view.agent.has_storage)
    return {"Ready", Truth::kTrue, "Ready", "an AgentRun that names it runs it"};
  if (view.agent.replicas == 0) return ScaledToZero(view);
  for (const PodState& pod : view.pods)
    if (!pod.ready) return NotReady(pod.reason, pod.message, view.observed.causes);
  if (view.pods.empty())
    return NotReady("Progressing", "pod " + WorkloadName(view.agent.name) + "-0 is not there yet",
                    view.observed.causes);
  return {"Ready", Truth::kTrue, "Ready", "pod " + view.pods.front().name + " is ready"};
}

Json MemoryPart(const Resolution& r) {
  Json memory = {{"url", r.url}, {"service", r.service}, {"namespace", r.name_space}};
  if (r.port != 0) memory["port"] = r.port;
  if (r.counts_endpoints) memory["readyEndpoints"] = r.ready_endpoints;
  if (r.service_generation != 0) memory["observedServiceGeneration"] = r.service_generation;
  return memory;
}

Json SidecarPart(const View& view) {
  Json sidecar = {{"desired", view.findings.sidecar_image}};
  if (!view.findings.template_image.empty()) sidecar["template"] = view.findings.template_image;
  for (const PodState& pod : view.pods) {
    if (!pod.sidecar_running) continue;
    Json& count = sidecar["running"][pod.sidecar_image];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return sidecar;
}

}  // namespace

base::Json StatusOf(const api::Agent& agent, const ObservedAgent& observed,
                    const Findings& findings, int64_t now_ms) {
  View view{agent, observed, findings, {}};
  for (const Json& pod : observed.pods)
    if (PodState state = StateOf(pod); !state.leaving) view.pods.push_back(std::move(state));

  const Condition resolved = MemoryResolved(view), endpoints = MemoryEndpointsReady(view),
                  stalled = Stalled(view);
  std::vector<Condition> conditions = {Ready(view, stalled, resolved)};
  const bool daemon = agent.has_storage;  // tasks have neither pods nor a volume: their runs do
  if (agent.memory) {
    conditions.insert(conditions.end(), {resolved, endpoints});
    if (daemon) conditions.insert(conditions.end(), {SidecarInjected(view), PolicyInSync(view)});
    conditions.push_back(RulesAccepted(view));
    if (!findings.unknown_tools.empty())
      conditions.push_back({"ToolsKnown", Truth::kFalse, "UnknownTool",
                            base::Join(findings.unknown_tools, "; ") + "; correct the names"});
  }
  if (HasShares(findings.shares)) conditions.push_back(SharesGranted(view));
  if (WantsForeignPods(agent)) conditions.push_back(ForeignPodsServed(view));
  if (findings.rollout) conditions.push_back(UpToDate(*findings.rollout));
  if (findings.node_skew) conditions.push_back(*findings.node_skew);
  if (daemon)
    conditions.push_back(
        VolumeReady(observed.agent, observed.claim, findings.claim, observed.causes));
  conditions.insert(conditions.end(), {Degraded(view, endpoints), stalled});

  Json status = {{"observedGeneration", agent.generation},
                 {"conditions", ConditionsOf(observed.agent, conditions, now_ms)}};
  // The API server refuses an apply with fields that the CRD lacks. The default of spec.replicas
  // shows that the CRD has replicas, also in the status.
  if (const Json* spec = base::At(observed.agent, {"spec", "replicas"}); daemon && spec) {
    status["replicas"] = findings.own_pods;
    status["selector"] = std::string(kAgentLabel) + "=" + agent.name;
  }
  if (!agent.memory) return status;
  if (findings.resolution.resolved) status["memory"] = MemoryPart(findings.resolution);
  status["policy"] = {{"digest", findings.policy_digest}};
  if (daemon) status["policy"].update({{"inSync", PodsInSync(view)}, {"pods", view.pods.size()}});
  status["sidecar"] = SidecarPart(view);
  if (HasShares(findings.shares)) status["share"] = SharePart(findings.shares);
  if (observed.uninjected.count > 0) status["missedPods"] = observed.uninjected.count;
  if (!findings.foreign_parts.is_null()) status["foreignPods"] = findings.foreign_parts;
  return status;
}

}  // namespace controller
