// The builders of an Agent's children, one file each. A builder reads like the manifest that it
// makes; agent/desired.cc adds apiVersion, kind, namespace, labels and owner. Pure.
#pragma once

#include <optional>

#include "operator/objects/blueprint.h"

namespace controller {

std::optional<base::Json> ServiceAccountOf(const Blueprint& blueprint);
std::optional<base::Json> SpecConfigMapOf(const Blueprint& blueprint);  // agent.json for the agent
std::optional<base::Json> PolicyConfigMapOf(
    const Blueprint& blueprint);                                      // policy.json for the sidecar
std::optional<base::Json> ServiceOf(const Blueprint& blueprint);      // of a daemon's named ports
std::optional<base::Json> StatefulSetOf(const Blueprint& blueprint);  // of a daemon alone
// Of its shared memory; none where nobody is granted it.
std::optional<base::Json> ReaderRoleOf(const Blueprint& blueprint);
std::optional<base::Json> WriterRoleOf(const Blueprint& blueprint);
std::optional<base::Json> ReaderBindingOf(const Blueprint& blueprint);
std::optional<base::Json> WriterBindingOf(const Blueprint& blueprint);
base::Json ForeignPartsOf(const Blueprint& blueprint);  // what foreign pods get
std::optional<base::Json> InjectionBindingOf(const Blueprint& blueprint);

}  // namespace controller
