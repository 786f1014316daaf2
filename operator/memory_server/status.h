// The status of a MemoryServer: what the running server said of itself, and the conditions that sum
// up how it stands. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/memory_server.h"
#include "operator/memory_server/observed_server.h"
#include "operator/pods/volume.h"

namespace controller {

// What planning found out; status says it.
struct ServerFindings {
  api::MemoryServer server;
  std::string image;                     // that is wanted
  const base::Json* workload = nullptr;  // its StatefulSet; null: not there
  bool changing = false;                 // the workload is made or changed by this very plan
  ClaimFinding claim;
  std::vector<std::string> taken_names;
  std::string refused;  // "StatefulSet x: …", with the API server's words
  bool storage_differs = false, monitor_unserved = false;
};

// The whole status. What only a running server knows stays as it was while none answers.
base::Json ServerStatusOf(const ObservedServer& observed, const ServerFindings& findings,
                          const std::string& cluster_domain, int64_t now_ms);
}  // namespace controller
