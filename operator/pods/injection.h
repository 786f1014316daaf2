// Injects the memory sidecar: into pods of the operator's own workloads, and as parts that an
// admission policy copies into foreign pods. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace controller {

// Settings that require a change of the pod: all others are in policy.json, which the sidecar
// reloads.
struct SidecarShape {
  std::string image;
  base::Json resources;             // spec.sidecar.resources, on top of the defaults
  std::string audience;             // of the projected token
  std::string otlp_endpoint;        // for traces; empty: none
  std::string policy_map;           // name of the ConfigMap with policy.json
  std::string placement = "First";  // First, Last, Before:<name>, After:<name>
  std::string state_volume;         // volume of state.db; empty: adds an emptyDir
};

base::Json SidecarContainer(const SidecarShape& shape);

// Replaces the startupProbe, for kubelets with the bug of node_skew.h, by a postStart hook that
// ends when the sidecar is ready: the next container waits for either (KEP-753).
void AwaitByHook(base::Json& sidecar);

// Adds the sidecar and its volumes to a pod's spec, in place of a container with the sidecar's
// name. A placement beside an unknown init container is First.
void InjectSidecar(base::Json& pod_spec, const SidecarShape& shape);

// The parts to inject into foreign pods: {sidecar, volumes, env}, env for the first container. The
// Agent's status publishes them, and the chart's policy copies them.
base::Json ForeignParts(const SidecarShape& shape);

// Injects `parts` into a foreign pod, with the same result as the CEL of the chart's policy
// (templates/operator/foreign-pods.yaml; e2e/operator/foreign_pods_test.py compares the two). An
// existing container with the sidecar's name keeps its place, image and resources.
void InjectIntoForeignPod(base::Json& pod, const base::Json& parts, const std::string& placement);

// The element named `name` in the list `list` of `object`; nullptr: none.
const base::Json* FindNamed(const base::Json& object, const char* list, const std::string& name);

}  // namespace controller
