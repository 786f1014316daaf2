// Builders of a MemoryServer's objects, equivalent to the chart's memory/ templates. Like in
// agent_objects.h, each reads like the manifest that it returns. Pure.
#pragma once

#include <optional>
#include <vector>

#include "lib/api/memory_server.h"
#include "operator/plan/plan.h"

namespace controller {

struct ServerBlueprint {
  api::MemoryServer server;
  base::Json owner;  // reference to the MemoryServer; null when it has no UID
  std::string image, otlp_endpoint, cluster_domain;
  // The observed StatefulSet if its claim template, which is immutable, differs from spec.storage.
  const base::Json* workload = nullptr;
  // Replicas of the StatefulSet: 0 while PostgreSQL is the store and it only holds the volume;
  // nullopt: there is none.
  std::optional<int> stateful_set = 1;
  bool deployment = false;  // there is one
};

// In the order in which they must be applied.
std::vector<Child> DesiredOfServer(const ServerBlueprint& blueprint);
// All kinds of children, also those that options turn off.
std::vector<kube::Resource> ServerChildResources();

std::optional<base::Json> ServerStatefulSetOf(const ServerBlueprint& blueprint);
std::optional<base::Json> ServerDeploymentOf(const ServerBlueprint& blueprint);
// The template of their pods.
base::Json ServerPodOf(const ServerBlueprint& blueprint, bool with_postgres);

}  // namespace controller
