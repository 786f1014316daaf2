// For pods of others: a PodTemplate from which the chart's admission policy copies the sidecar, and
// the binding that names it for pods with this Agent's label. Why a PodTemplate: CEL reads no JSON
// text, and a kind of the API server's own has typed fields, is checked by it and defaulted like
// the pods.
#include "operator/foreign_pods.h"
#include "operator/names.h"
#include "operator/objects/children.h"

namespace controller {

std::optional<base::Json> InjectionTemplateOf(const Blueprint& blueprint) {
  if (blueprint.injection_policy.empty()) return std::nullopt;
  SidecarShape shape = SidecarShapeOf(blueprint);
  shape.state_volume.clear();
  return base::Json{{"metadata",
                     {{"name", InjectionTemplateName(blueprint.agent.name)},
                      {"annotations", {{kPlacement, shape.placement}}}}},
                    {"template", InjectionTemplate(shape)}};
}

std::optional<base::Json> InjectionBindingOf(const Blueprint& blueprint) {
  if (blueprint.injection_policy.empty()) return std::nullopt;
  const api::Agent& agent = blueprint.agent;
  base::Json metadata = {{"name", InjectionBindingName(agent.name_space, agent.name)}};
  // Its operator finds it by this when the Agent is gone.
  const std::string agent_class = base::StringAt(agent.annotations, {kClassAnnotation});
  if (!agent_class.empty()) metadata["annotations"][kClassAnnotation] = agent_class;
  return base::Json{{"metadata", std::move(metadata)},
                    {"spec",
                     {{"policyName", blueprint.injection_policy},
                      {"paramRef",
                       {{"name", InjectionTemplateName(agent.name)},
                        {"namespace", agent.name_space},
                        {"parameterNotFoundAction", "Deny"}}},
                      {"matchResources",
                       {{"namespaceSelector",
                         {{"matchLabels", {{"kubernetes.io/metadata.name", agent.name_space}}}}},
                        {"objectSelector", {{"matchLabels", {{kMemoryLabel, agent.name}}}}}}}}}};
}

}  // namespace controller
