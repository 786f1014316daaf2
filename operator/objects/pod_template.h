// The pod of an Agent: from the short form (image) or from spec.template, with the agent's mounts
// and the sidecar put in. Pure.
#pragma once

#include <string>

#include "operator/objects/blueprint.h"
#include "operator/pods/injection.h"

namespace controller {

base::Json PodTemplateOf(const Blueprint& blueprint);
SidecarShape SidecarShapeOf(const Blueprint& blueprint);  // in the pods of our own workload
// Whether the Agent names neither image nor template: the operator's setting has to name one.
bool NamesNoImage(const api::Agent& agent);
// Why spec.template cannot be used; empty when it can, or when the Agent has none.
std::string TemplateFault(const api::Agent& agent);

}  // namespace controller
