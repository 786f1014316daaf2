// The AgentRun object's names and types: one run of an Agent of mode task. crds/agentrun.yaml has
// fields, limits and wording. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/agent.h"

namespace api {

struct AgentRun {
  std::string name, name_space, uid;
  int64_t generation = 0;
  std::string agent;                             // spec.agentRef: an Agent of the same namespace
  std::string prompt;                            // may be empty
  std::optional<std::vector<std::string>> args;  // absent: the Agent's
  std::map<std::string, std::string> env;        // overrides the Agent's
  std::optional<AgentStorage> storage;           // absent: no volume
};

base::Result<AgentRun> DecodeAgentRun(const base::Json& object);

}  // namespace api
