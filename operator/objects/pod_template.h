// The pod of an Agent: from the short form (image) or from spec.template, plus the agent's mounts
// and the sidecar. Pure.
#pragma once

#include <string>

#include "operator/objects/blueprint.h"
#include "operator/pods/injection.h"

namespace controller {

base::Json PodTemplateOf(const Blueprint& blueprint);
SidecarShape SidecarShapeOf(const Blueprint& blueprint);  // for pods of the Agent's own workload
// Whether the Agent has neither image nor template, so that it needs Settings::agent_image.
bool NamesNoImage(const api::Agent& agent);
// Why spec.template is unusable; empty: it is usable, or absent.
std::string TemplateFault(const api::Agent& agent);

}  // namespace controller
