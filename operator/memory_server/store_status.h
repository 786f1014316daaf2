// The status of a MemoryServer with PostgreSQL: its database, and its equal replicas. Pure.
#pragma once

#include <optional>
#include <string>

#include "lib/kube/object/conditions.h"
#include "operator/memory_server/findings.h"
#include "operator/memory_server/observed_server.h"

namespace controller {

// Whether the workload's controller has seen the applied spec.
bool IsSeen(const base::Json& workload);
// Whether `pod`, one of ObservedServer::pods, is of the workload of spec.store.
bool IsOfStore(const base::Json& pod, const ServerFindings& findings);

// False names a missing Secret or key, by the kubelet's Events: the operator may read no Secrets.
// True and Unknown for a server with SQLite.
kube::Condition StoreReady(const ObservedServer& observed, const ServerFindings& findings,
                           int ready);
// Condition UpToDate by the status of the Deployment, which its controller has seen.
kube::Condition ReplicasUpToDate(const base::Json& deployment, const std::string& image);
// Condition Ready if the API server refuses the pods of the Deployment.
std::optional<kube::Condition> ReplicaFailure(const ServerFindings& findings);
std::string ReplicasReady(const ServerFindings& findings,
                          int ready);  // "1 of 2 replicas are ready"

}  // namespace controller
