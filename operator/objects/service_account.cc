// The identity of an Agent's pod. No token of the API server is mounted: the sidecar's own is
// projected.
#include "operator/names.h"
#include "operator/objects/children.h"

namespace controller {

std::optional<base::Json> ServiceAccountOf(const Blueprint& blueprint) {
  return base::Json{{"metadata", {{"name", ServiceAccountName(blueprint.agent.name)}}},
                    {"automountServiceAccountToken", false}};
}

}  // namespace controller
