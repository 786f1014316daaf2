// Written once for all kinds of children.
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
  if (!resource.namespaced) return object;  // nothing cluster-scoped can be owned by an Agent
  metadata["namespace"] = blueprint.agent.name_space;
  if (!blueprint.owner.is_null())
    metadata["ownerReferences"] = base::Json::array({blueprint.owner});
  return object;
}

}  // namespace controller
