// The Agent object's names and types. crds/agent.yaml has fields, defaults, limits and wording; the
// API server has applied them to an Agent before this code decodes it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace api {

inline constexpr const char* kGroup = "agents.agentops.io";
inline constexpr const char* kVersion = "v1alpha1";

struct AgentStorage {
  std::string size = "1Gi", storage_class;  // storage_class empty: the cluster's default
  bool retain = true, adopt = false;
};

// spec.memory: the memory server and its use. Absent: no sidecar.
struct AgentMemory {
  std::string server_ref;  // "name" or "namespace/name"
  std::string project;     // empty: the Agent's name
  base::Json fields;       // the whole object, for the policy
};

struct Agent {
  std::string name, name_space, uid;
  int64_t generation = 0;
  base::Json annotations = base::Json::object();
  std::string mode = "daemon";  // daemon | task
  int64_t replicas = 1;         // 0 or 1; not in `spec`: not for the agent
  base::Json spec;              // the rest, mounted as /etc/agent/agent.json
  std::string image;            // empty: spec.template, else the operator's
  AgentStorage storage;
  bool has_storage = true;
  std::optional<AgentMemory> memory;
  std::string sidecar_image;  // empty: the operator's default
};

base::Result<Agent> DecodeAgent(const base::Json& object);
// Decodes spec.storage; defaults for missing fields.
base::Result<AgentStorage> DecodeStorage(const base::Json& spec);
// The policy of an Agent with the address of its server (`server_url` empty: not resolved).
base::Result<Policy> PolicyOf(const Agent& agent, const std::string& server_url,
                              const std::string& audience);

}  // namespace api
