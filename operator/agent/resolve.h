// From spec.memory.serverRef to a URL: which Service, which port, may it be used, who answers
// behind it. Pure.
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
  bool counts_endpoints = false;  // false: nobody can know (ExternalName, unresolved)
  int ready_endpoints = 0;
};

// `override_url` (not empty) wins over everything: for rendering without a cluster.
Resolution Resolve(const ObservedAgent& observed, const std::string& cluster_domain,
                   const std::string& override_url = {});

// Addresses of the slices that are ready to take traffic, each counted once.
int CountReadyEndpoints(const std::vector<base::Json>& slices);

}  // namespace controller
