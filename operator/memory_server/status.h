// The status of a MemoryServer: facts of the running server's report, and conditions. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/memory_server.h"
#include "operator/memory_server/observed_server.h"
#include "operator/pods/volume.h"

namespace controller {

// The results of planning, for the status.
struct ServerFindings {
  api::MemoryServer server;
  std::string image;                     // desired
  const base::Json* workload = nullptr;  // its observed StatefulSet; null: none
  bool changing = false;                 // this plan creates or changes the workload
  ClaimFinding claim;
  std::vector<std::string> taken_names;
  std::string refused;  // "StatefulSet x: …", with the API server's message
  bool storage_differs = false, monitor_unserved = false;
};

// The whole status. Facts of the running server stay while no server answers.
base::Json ServerStatusOf(const ObservedServer& observed, const ServerFindings& findings,
                          const std::string& cluster_domain, int64_t now_ms);
}  // namespace controller
