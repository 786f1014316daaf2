// Injection into foreign pods: the injected parts, and the binding through which the chart's
// admission policy reads them from the Agent's status. The Agent itself is the policy's parameter:
// CEL cannot parse JSON text, so the parameter must be an object with fields; and for a dedicated
// kind API server 1.36 sees no changes any more after the last policy with such parameters was
// deleted.
#include "operator/pods/injection.h"

#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"
#include "operator/objects/pod_template.h"
#include "operator/pods/foreign_pods.h"

namespace controller {

base::Json ForeignPartsOf(const Blueprint& blueprint) {
  SidecarShape shape = SidecarShapeOf(blueprint);
  shape.state_volume.clear();
  base::Json parts = ForeignParts(shape);
  if (blueprint.avoids_startup_probe) AwaitByHook(parts["sidecar"]);
  return parts;
}

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
