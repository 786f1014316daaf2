// A memory tool: name, description, schemas and function. The list of tools is tools.h.
#pragma once

#include <string>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/service/agent_memory.h"
#include "sidecar/service/working_memory.h"

namespace sidecar {

// The services and the policy of a tool call.
struct ToolContext {
  AgentMemory& memory;
  const WorkingMemory& conversations;
  const MemoryCall call;
  const api::Policy& policy = call.policy->policy;
};

// `text` is for a model, with stored text fenced as data. `structured`, with `text` added to it,
// fits the tool's output schema; it has ids, numbers and times, no stored text. Of an exact tool it
// fits as it is, and stored text in it is inert.
struct ToolAnswer {
  base::Json structured;
  std::string text;
};

struct McpTool {
  const char* name;
  const char* title;
  const char* description;
  bool api::Policy::*needed;  // the switch that offers it; null: always
  bool read_only, destructive, idempotent;
  base::Json input, output;  // JSON Schema
  base::Result<ToolAnswer> (*call)(const ToolContext& context, const base::Json& arguments);
  const char* set = nullptr;  // of tools that the policy must name (memory.tools); null: none
  bool exact = false;  // its output is promised field by field: the text is in `content` alone
};

}  // namespace sidecar
