// The MemoryServer object's names and types: a memory server that the operator runs. Fields, limits
// and wording live in crds/memoryserver.yaml; what the running server says of itself:
// server_report.h. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/api/agent.h"

namespace api {

struct MemoryServer {
  std::string name, name_space, uid;
  int64_t generation = 0;
  std::string image;  // empty: the operator's default
  AgentStorage storage;
  base::Json resources = base::Json::object();
  std::string auth = "kubernetes";                  // or none: everybody, as one tenant
  base::Json retention = base::Json::array();       // as the server's setting of that name
  base::Json project_grants = base::Json::array();  // accepted, not served
  bool evictable = true;                            // a drain may take it
  bool network_policy = true;
  std::vector<int> api_server_ports = {443, 6443};  // that its NetworkPolicy lets it reach
  bool pod_monitor = false;
  std::map<std::string, std::string> pod_monitor_labels;
};

// `object` was validated by its schema; null equals absent, and what is absent gets its default.
base::Result<MemoryServer> DecodeMemoryServer(const base::Json& object);

}  // namespace api
