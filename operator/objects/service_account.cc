// The ServiceAccount of an Agent's pods. It mounts no token of the API server: the sidecar has a
// projected token of its own.
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"

namespace controller {

std::optional<base::Json> ServiceAccountOf(const Blueprint& blueprint) {
  return base::Json{{"metadata", {{"name", ServiceAccountName(blueprint.agent.name)}}},
                    {"automountServiceAccountToken", false}};
}

}  // namespace controller
