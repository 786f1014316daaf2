// The workloads of a MemoryServer. With SQLite a StatefulSet: one pod, the only writer of its
// files; `Parallel`, since with `OrderedReady` a pod of a version that cannot start would have to
// be deleted by hand before a corrected one takes its place. With PostgreSQL a Deployment: equal
// replicas, replaced one after the other.
#include "operator/names/names.h"
#include "operator/objects/server_objects.h"

namespace controller {
namespace {

using base::Json;

Json ClaimTemplates(const api::MemoryServer& server) {
  Json spec = {{"accessModes", {"ReadWriteOnce"}},
               {"resources", {{"requests", {{"storage", server.storage.size}}}}}};
  if (!server.storage.storage_class.empty())
    spec["storageClassName"] = server.storage.storage_class;
  return Json::array({{{"metadata",
                        {{"name", kClaimVolume},
                         {"labels", {{kServerLabel, server.name}, {kManagedByLabel, kManagedBy}}}}},
                       {"spec", spec}}});
}

}  // namespace

std::optional<base::Json> ServerStatefulSetOf(const ServerBlueprint& blueprint) {
  if (!blueprint.stateful_set) return std::nullopt;
  const api::MemoryServer& server = blueprint.server;
  const Json* present = blueprint.workload
                            ? base::At(*blueprint.workload, {"spec", "volumeClaimTemplates"})
                            : nullptr;
  return Json{
      {"spec",
       {{"replicas", *blueprint.stateful_set},
        {"serviceName", ServerObjectName(server.name)},
        {"podManagementPolicy", "Parallel"},
        {"selector", {{"matchLabels", {{kServerLabel, server.name}}}}},
        {"updateStrategy", {{"type", "RollingUpdate"}}},
        {"persistentVolumeClaimRetentionPolicy",
         {{"whenDeleted", server.storage.retain ? "Retain" : "Delete"}, {"whenScaled", "Retain"}}},
        {"template", ServerPodOf(blueprint, false)},
        {"volumeClaimTemplates", present ? *present : ClaimTemplates(server)}}}};
}

std::optional<base::Json> ServerDeploymentOf(const ServerBlueprint& blueprint) {
  if (!blueprint.deployment) return std::nullopt;
  const api::MemoryServer& server = blueprint.server;
  return Json{
      {"spec",
       {{"replicas", server.replicas},
        {"selector", {{"matchLabels", {{kServerLabel, server.name}}}}},
        {"strategy",
         {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxUnavailable", 0}, {"maxSurge", 1}}}}},
        {"template", ServerPodOf(blueprint, true)}}}};
}

}  // namespace controller
