// Puts the memory sidecar into a pod: the one function that makes the container, for pods of our
// own workloads and, as a template that an admission policy copies from, for pods of others. Pure.
#pragma once

#include <string>

#include "lib/base/json.h"

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

// Adds container and volumes to a pod's spec. A container of the sidecar's name that is there
// already is replaced; a placement that names no init container is First.
void InjectSidecar(base::Json& pod_spec, const SidecarShape& shape);

// What pods of others get: initContainers[0] is the sidecar, volumes are its volumes, and env of
// containers[0] is for the first container of the pod. A whole pod template, so that the API server
// checks and defaults it as it would the pod.
base::Json InjectionTemplate(const SidecarShape& shape);

// Makes of a pod of somebody else what the policy of the chart makes of it in CEL
// (templates/operator/foreign-pods.yaml; e2e/foreign_pods_test.py compares the two). `injection` is
// the PodTemplate of the Agent. A container of the sidecar's name that the pod has already keeps
// its place, its image and its resources.
void InjectIntoForeignPod(base::Json& pod, const base::Json& injection);

// The element of the list `list` in `object` whose field `name` is `name`; nullptr when there is
// none.
const base::Json* FindNamed(const base::Json& object, const char* list, const std::string& name);

}  // namespace controller
