// Resources that lib/kube does not define: the operator's own kinds, and kinds of the cluster that
// only the operator uses. Pure.
#pragma once

#include "lib/kube/object/object.h"

namespace controller {

const kube::Resource& Agents();
const kube::Resource& AgentTools();
const kube::Resource& AgentRuns();
const kube::Resource& MemoryServers();

// Cluster-scoped kinds of admission.
const kube::Resource& InjectionPolicies();  // MutatingAdmissionPolicy
const kube::Resource& InjectionBindings();  // MutatingAdmissionPolicyBinding
const kube::Resource& MutatingWebhooks();
const kube::Resource& ValidatingWebhooks();

// Of a MemoryServer with PostgreSQL.
const kube::Resource& Deployments();
const kube::Resource& ReplicaSets();

const kube::Resource& Secrets();
const kube::Resource& PodMonitors();  // CRD of the Prometheus operator, absent in many clusters

}  // namespace controller
