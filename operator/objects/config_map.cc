// Two ConfigMaps: the whole spec for the agent, the policy for the sidecar. Both are mounted as
// whole volumes, so that the kubelet updates them in a running pod.
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"

namespace controller {

std::optional<base::Json> SpecConfigMapOf(const Blueprint& blueprint) {
  return base::Json{{"metadata", {{"name", SpecConfigMapName(blueprint.agent.name)}}},
                    {"data", {{kSpecFile, base::DumpJson(blueprint.agent.spec)}}}};
}

std::optional<base::Json> PolicyConfigMapOf(const Blueprint& blueprint) {
  if (!blueprint.agent.memory) return std::nullopt;
  return base::Json{{"metadata", {{"name", PolicyConfigMapName(blueprint.agent.name)}}},
                    {"data", {{kPolicyFile, blueprint.policy_file}}}};
}

}  // namespace controller
