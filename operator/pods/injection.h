// Puts the memory sidecar into a pod: the one function that makes the container, for pods of our
// own workloads and, as parts that an admission policy copies, for foreign pods. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace controller {

// Only what may never change in a running pod: everything else is in policy.json, which is
// hot-reloaded.
struct SidecarShape {
  std::string image;
  base::Json resources;             // of spec.sidecar; what is absent there is the default
  std::string audience;             // of the projected token
  std::string otlp_endpoint;        // where it sends traces; empty: nowhere
  std::string policy_map;           // name of the ConfigMap with policy.json
  std::string placement = "First";  // First, Last, Before:<name>, After:<name>
  std::string state_volume;         // name of the volume for state.db; empty: an emptyDir is made
};

base::Json SidecarContainer(const SidecarShape& shape);

// In place of its startupProbe a hook that ends when it is ready: the next container waits for
// either (KEP-753). For kubelets that a startupProbe leads astray (node_skew.h).
void AwaitByHook(base::Json& sidecar);

// Adds container and volumes to a pod's spec. A container of the sidecar's name that is there
// already is replaced; a placement that names no init container is First.
void InjectSidecar(base::Json& pod_spec, const SidecarShape& shape);

// What foreign pods get: {sidecar, volumes, env}, env for the first container. It stands in the
// Agent's status, where the policy of the chart copies it from.
base::Json ForeignParts(const SidecarShape& shape);

// Makes of a pod of somebody else what the policy of the chart makes of it in CEL
// (templates/operator/foreign-pods.yaml; e2e/operator/foreign_pods_test.py compares the two). A
// container of the sidecar's name that the pod has already keeps its place, its image and its
// resources.
void InjectIntoForeignPod(base::Json& pod, const base::Json& parts, const std::string& placement);

// The element of the list `list` in `object` whose field `name` is `name`; nullptr when there is
// none.
const base::Json* FindNamed(const base::Json& object, const char* list, const std::string& name);

}  // namespace controller
