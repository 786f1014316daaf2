// One builder after the other, in the order of the header.
#include "operator/objects/agent_objects.h"

#include "lib/api/shared_memory.h"
#include "operator/names/names.h"
#include "operator/objects/pod_template.h"
#include "operator/pods/foreign_pods.h"
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

// A Role for readers and one for writers, on the virtual resource of the memory server's access
// reviews (docs/adr/0055).
std::optional<Json> SharingRole(const std::string& agent, const std::string& name,
                                const std::vector<std::string>& accounts, const Json& verbs) {
  if (accounts.empty()) return std::nullopt;
  const Json rule = {{"apiGroups", {api::kSharedGroup}},
                     {"resources", {api::kSharedResource}},
                     {"resourceNames", {agent}},
                     {"verbs", verbs}};
  return Json{{"metadata", {{"name", name}}}, {"rules", Json::array({rule})}};
}

std::optional<Json> SharingBinding(const std::string& name_space, const std::string& name,
                                   const std::vector<std::string>& accounts) {
  if (accounts.empty()) return std::nullopt;
  Json subjects = Json::array();
  for (const std::string& account : accounts)
    subjects.push_back({{"kind", "ServiceAccount"}, {"name", account}, {"namespace", name_space}});
  const Json role = {
      {"apiGroup", kube::Roles().group}, {"kind", kube::Roles().kind}, {"name", name}};
  return Json{{"metadata", {{"name", name}}}, {"roleRef", role}, {"subjects", subjects}};
}

}  // namespace

// Mounts no token of the API server: the sidecar has a projected token of its own.
std::optional<base::Json> ServiceAccountOf(const Blueprint& blueprint) {
  return base::Json{{"metadata", {{"name", ServiceAccountName(blueprint.agent.name)}}},
                    {"automountServiceAccountToken", false}};
}

// Both ConfigMaps are mounted as whole volumes, so that the kubelet updates them in a running pod.
std::optional<base::Json> SpecConfigMapOf(const Blueprint& blueprint) {
  return base::Json{{"metadata", {{"name", SpecConfigMapName(blueprint.agent.name)}}},
                    {"data", {{kSpecFile, base::DumpJson(blueprint.agent.spec)}}}};
}

std::optional<base::Json> PolicyConfigMapOf(const Blueprint& blueprint) {
  if (!blueprint.agent.memory) return std::nullopt;
  return base::Json{{"metadata", {{"name", PolicyConfigMapName(blueprint.agent.name)}}},
                    {"data", {{kPolicyFile, blueprint.policy_file}}}};
}

std::optional<base::Json> ServiceOf(const Blueprint& blueprint) {
  const api::Agent& agent = blueprint.agent;
  if (agent.mode == "task") return std::nullopt;  // its runs come and go, several at once
  base::Json ports = base::Json::array();
  for (const base::Json& port : agent.spec.value("ports", base::Json::array()))
    if (const std::string name = base::StringAt(port, {"name"});
        !name.empty() && base::At(port, {"containerPort"}))
      ports.push_back({{"name", name},
                       {"port", *base::At(port, {"containerPort"})},
                       {"targetPort", name},
                       {"protocol", "TCP"}});
  if (ports.empty()) return std::nullopt;
  return base::Json{{"metadata", {{"name", PortsServiceName(agent.name)}}},
                    {"spec",
                     {{"ipFamilyPolicy", kServiceFamilies},
                      {"selector", {{kAgentLabel, agent.name}}},
                      {"ports", ports}}}};
}

// At most one pod on its volume; a running pod is left alone when the template changes (OnDelete),
// so that the sidecar's image can be patched in place.
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

std::optional<Json> ReaderRoleOf(const Blueprint& blueprint) {
  return SharingRole(blueprint.agent.name, ReadersName(blueprint.agent.name),
                     blueprint.reading_accounts, {"get", "list"});
}

std::optional<Json> WriterRoleOf(const Blueprint& blueprint) {
  return SharingRole(blueprint.agent.name, WritersName(blueprint.agent.name),
                     blueprint.writing_accounts, {"get", "list", "update", "delete"});
}

std::optional<Json> ReaderBindingOf(const Blueprint& blueprint) {
  return SharingBinding(blueprint.agent.name_space, ReadersName(blueprint.agent.name),
                        blueprint.reading_accounts);
}

std::optional<Json> WriterBindingOf(const Blueprint& blueprint) {
  return SharingBinding(blueprint.agent.name_space, WritersName(blueprint.agent.name),
                        blueprint.writing_accounts);
}

base::Json ForeignPartsOf(const Blueprint& blueprint) {
  SidecarShape shape = SidecarShapeOf(blueprint);
  shape.state_volume.clear();
  base::Json parts = ForeignParts(shape);
  if (blueprint.avoids_startup_probe) AwaitByHook(parts["sidecar"]);
  return parts;
}

// The binding through which the chart's admission policy reads the injected parts from the Agent's
// status. The Agent itself is the policy's parameter: CEL cannot parse JSON text, so the parameter
// must be an object with fields; and for a dedicated kind API server 1.36 sees no changes any more
// after the last policy with such parameters was deleted.
std::optional<base::Json> InjectionBindingOf(const Blueprint& blueprint) {
  if (blueprint.injection_policy.empty()) return std::nullopt;
  const api::Agent& agent = blueprint.agent;
  base::Json metadata = {{"name", InjectionBindingName(agent.name_space, agent.name)}};
  // The class, by which the operator finds the binding after the Agent was deleted.
  const std::string agent_class = base::StringAt(agent.annotations, {kClassAnnotation});
  if (!agent_class.empty()) metadata["annotations"][kClassAnnotation] = agent_class;
  return base::Json{{"metadata", std::move(metadata)},
                    {"spec",
                     {{"policyName", blueprint.injection_policy},
                      {"paramRef",
                       {{"name", agent.name},
                        {"namespace", agent.name_space},
                        {"parameterNotFoundAction", "Deny"}}},
                      {"matchResources",
                       {{"namespaceSelector",
                         {{"matchLabels", {{"kubernetes.io/metadata.name", agent.name_space}}}}},
                        {"objectSelector", {{"matchLabels", {{kMemoryLabel, agent.name}}}}}}}}}};
}

}  // namespace controller
