// The metadata that all objects of Agents and AgentRuns share.
#include "operator/objects/blueprint.h"

#include "operator/names/names.h"

namespace controller {

base::Json WithOwnerAndLabels(base::Json object, const kube::Resource& resource,
                              const Blueprint& blueprint) {
  object["apiVersion"] = resource.ApiVersion();
  object["kind"] = resource.kind;
  base::Json& metadata = object["metadata"];
  metadata["labels"][kAgentLabel] = blueprint.agent.name;
  metadata["labels"][kManagedByLabel] = kManagedBy;
  if (!resource.namespaced) return object;  // a namespaced owner cannot own it
  metadata["namespace"] = blueprint.agent.name_space;
  if (!blueprint.owner.is_null())
    metadata["ownerReferences"] = base::Json::array({blueprint.owner});
  return object;
}

}  // namespace controller
