// Builders of an Agent's children. A builder reads like the manifest that it returns;
// WithOwnerAndLabels adds apiVersion, kind, namespace, labels and owner. Pure.
#pragma once

#include <optional>

#include "operator/objects/blueprint.h"

namespace controller {

std::optional<base::Json> ServiceAccountOf(const Blueprint& blueprint);
std::optional<base::Json> SpecConfigMapOf(const Blueprint& blueprint);  // agent.json for the agent
std::optional<base::Json> PolicyConfigMapOf(
    const Blueprint& blueprint);                                      // policy.json for the sidecar
std::optional<base::Json> ServiceOf(const Blueprint& blueprint);      // of a daemon's named ports
std::optional<base::Json> StatefulSetOf(const Blueprint& blueprint);  // daemons only
// Grants of the Agent's shared memory; nullopt: no accounts.
std::optional<base::Json> ReaderRoleOf(const Blueprint& blueprint);
std::optional<base::Json> WriterRoleOf(const Blueprint& blueprint);
std::optional<base::Json> ReaderBindingOf(const Blueprint& blueprint);
std::optional<base::Json> WriterBindingOf(const Blueprint& blueprint);
base::Json ForeignPartsOf(const Blueprint& blueprint);  // status.foreignPods: the parts to inject
std::optional<base::Json> InjectionBindingOf(const Blueprint& blueprint);

}  // namespace controller
