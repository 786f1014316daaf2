// What planning found out about a MemoryServer, for its status. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/memory_server.h"
#include "operator/pods/volume.h"

namespace controller {

// Values of status.store.
inline constexpr const char *kSqliteStore = "sqlite", *kPostgresStore = "postgres";

struct ServerFindings {
  api::MemoryServer server;
  std::string image;                                                // desired
  const base::Json *stateful_set = nullptr, *deployment = nullptr;  // its observed ones; null: none
  const base::Json* workload = nullptr;                             // of both the one of spec.store
  std::string rows_stay;   // a refused change of the store: why; empty: none
  std::string other_ends;  // what the workload waits for; empty: nothing
  bool changing = false;   // this plan creates or changes the workload
  ClaimFinding claim;
  std::vector<std::string> taken_names;
  std::string refused;  // "StatefulSet x: …", with the API server's message
  bool storage_differs = false, monitor_unserved = false;
};

}  // namespace controller
