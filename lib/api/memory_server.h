// The MemoryServer object's names and types: a memory server that the operator runs. Fields, limits
// and wording: crds/memoryserver.yaml; the running server's report: server_report.h. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/agent.h"

namespace api {

// spec.store.postgres: the Secrets from which the server learns its database, and what a write
// waits for.
struct PostgresStore {
  std::string secret, key;        // of the DSN
  std::string ca_secret, ca_key;  // of the database's authority; empty: public ones
  bool require_sync = false;      // no acknowledgement while no synchronous standby is attached
};

struct MemoryServer {
  std::string name, name_space, uid;
  int64_t generation = 0;
  std::string image;                      // empty: the operator's default
  std::optional<PostgresStore> postgres;  // absent: SQLite on the volume of `storage`
  bool allow_store_change = false;        // a person said what happens with the other store's rows
  int replicas = 1;                       // more only with postgres
  AgentStorage storage;
  base::Json resources = base::Json::object();
  std::string auth = "kubernetes";                  // or none: all callers, as one tenant
  std::optional<bool> ui;                           // absent: as the server's setting `auto`
  base::Json retention = base::Json::array();       // the server's setting of that name
  base::Json project_grants = base::Json::array();  // accepted, without effect
  bool evictable = true;                            // a drain may evict its pod
  bool network_policy = true;
  // That its NetworkPolicy allows.
  std::vector<int> api_server_ports = {443, 6443}, postgres_ports = {5432};
  bool pod_monitor = false;
  std::map<std::string, std::string> pod_monitor_labels;
};

// Decodes a validated object; null equals absent; missing fields get their defaults.
base::Result<MemoryServer> DecodeMemoryServer(const base::Json& object);

}  // namespace api
