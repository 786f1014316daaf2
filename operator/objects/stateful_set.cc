// The workload of a daemon: at most one pod on its volume, and a running pod is left alone when the
// template changes (OnDelete), so that the sidecar's image can be patched in place.
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"
#include "operator/objects/pod_template.h"
#include "operator/pods/injection.h"
#include "operator/pods/rollout.h"

namespace controller {
namespace {

using base::Json;

Json ClaimTemplates(const api::Agent& agent) {
  Json spec = {{"accessModes", {"ReadWriteOnce"}},
               {"resources", {{"requests", {{"storage", agent.storage.size}}}}}};
  if (!agent.storage.storage_class.empty()) spec["storageClassName"] = agent.storage.storage_class;
  Json claim = {{"metadata",
                 {{"name", kClaimVolume},
                  {"labels", {{kAgentLabel, agent.name}, {kManagedByLabel, kManagedBy}}}}},
                {"spec", spec}};
  return Json::array({claim});
}

}  // namespace

std::optional<base::Json> StatefulSetOf(const Blueprint& blueprint) {
  const api::Agent& agent = blueprint.agent;
  if (agent.mode == "task") return std::nullopt;  // each AgentRun has a Job: job.cc
  // Claim templates are immutable: keeps the observed ones if spec.storage differs, which the
  // status reports.
  const Json* present = blueprint.workload
                            ? base::At(*blueprint.workload, {"spec", "volumeClaimTemplates"})
                            : nullptr;
  Json pod_template = PodTemplateOf(blueprint);
  NoteOrigin(pod_template);
  // After NoteOrigin, so that a change of nodes restarts no running pod.
  if (blueprint.avoids_startup_probe)
    for (Json& container : pod_template["spec"]["initContainers"])
      if (base::StringAt(container, {"name"}) == kSidecarContainer) AwaitByHook(container);
  return Json{
      {"metadata", {{"name", WorkloadName(agent.name)}}},
      {"spec",
       {{"replicas", agent.replicas},
        {"serviceName", PortsServiceName(agent.name)},
        {"selector", {{"matchLabels", {{kAgentLabel, agent.name}}}}},
        {"updateStrategy", {{"type", "OnDelete"}}},
        {"persistentVolumeClaimRetentionPolicy",
         {{"whenDeleted", agent.storage.retain ? "Retain" : "Delete"}, {"whenScaled", "Retain"}}},
        {"template", pod_template},
        {"volumeClaimTemplates", present ? *present : ClaimTemplates(agent)}}}};
}

}  // namespace controller
