// The kinds of objects that the operator works with, beside those of lib/kube: its own, and those
// of the cluster that only it knows. Pure.
#pragma once

#include "lib/kube/object/object.h"

namespace controller {

const kube::Resource& Agents();
const kube::Resource& AgentTools();
const kube::Resource& AgentRuns();
const kube::Resource& MemoryServers();

// Cluster-scoped, of admission.
const kube::Resource& InjectionPolicies();  // MutatingAdmissionPolicy
const kube::Resource& InjectionBindings();  // MutatingAdmissionPolicyBinding
const kube::Resource& MutatingWebhooks();
const kube::Resource& ValidatingWebhooks();

const kube::Resource& Secrets();
const kube::Resource& PodMonitors();  // of the Prometheus operator; many clusters have none

}  // namespace controller
