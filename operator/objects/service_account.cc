// The identity of an Agent's pod. No token of the API server is mounted: the sidecar's own is
// projected.
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"

namespace controller {

std::optional<base::Json> ServiceAccountOf(const Blueprint& blueprint) {
  return base::Json{{"metadata", {{"name", ServiceAccountName(blueprint.agent.name)}}},
                    {"automountServiceAccountToken", false}};
}

}  // namespace controller
