// The builders of what a MemoryServer owns. In substance they are the chart's memory/ templates. As
// agent_objects.h: each reads like the manifest that it makes. Pure.
#pragma once

#include <vector>

#include "lib/api/memory_server.h"
#include "operator/plan/plan.h"

namespace controller {

struct ServerBlueprint {
  api::MemoryServer server;
  base::Json owner;  // reference to the MemoryServer; null when it has no UID
  std::string image, otlp_endpoint, cluster_domain;
  // The observed StatefulSet when its claim template is not what spec.storage asks for: it stays.
  const base::Json* workload = nullptr;
};

// In the order in which they must be applied.
std::vector<Child> DesiredOfServer(const ServerBlueprint& blueprint);
// The kinds in it, wanted by this one or not.
std::vector<kube::Resource> ServerChildResources();

base::Json ServerStatefulSetOf(const ServerBlueprint& blueprint);

}  // namespace controller
