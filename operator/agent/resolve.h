// Resolves spec.memory.serverRef to a Service, a port and a URL, checks the permission to use it,
// and counts its ready endpoints. Pure.
#pragma once

#include <string>

#include "operator/agent/observed_agent.h"

namespace controller {

struct Resolution {
  bool resolved = false;
  std::string reason, message;  // of condition MemoryResolved
  std::string url, audience;    // audience: empty when no token may be sent there
  std::string service, name_space;
  int port = 0;
  int64_t service_generation = 0;
  bool counts_endpoints = false;  // false: unknown (ExternalName, unresolved)
  int ready_endpoints = 0;
};

// A non-empty `override_url` replaces the resolution, for rendering without a cluster.
Resolution Resolve(const ObservedAgent& observed, const std::string& cluster_domain,
                   const std::string& override_url = {});

// The number of ready endpoints in the slices; one with an address of each family counts once.
int CountReadyEndpoints(const std::vector<base::Json>& slices);

}  // namespace controller
