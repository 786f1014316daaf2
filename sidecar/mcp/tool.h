// A memory tool: name, description, schemas and function. tools.h has the list of tools.
#pragma once

#include <string>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/mcp/tool_input.h"
#include "sidecar/service/agent_memory.h"
#include "sidecar/service/working_memory.h"

namespace sidecar {

struct McpTool;

// The services and the policy of a tool call.
struct ToolContext {
  AgentMemory& memory;
  const WorkingMemory& conversations;
  const MemoryCall call;
  const McpTool& tool;
  const api::Policy& policy = call.policy->policy;
};

// `text` is for a model, with stored text fenced as data. `structured`, with `text` added to it,
// fits the tool's output schema; it has ids, numbers and times, no stored text. For an exact tool
// it fits without `text`, and stored text in it is inert.
struct ToolAnswer {
  base::Json structured;
  std::string text;
};

// The hints of MCP.
struct Effect {
  bool read_only, destructive, idempotent;
};
inline constexpr Effect kReads = {true, false, true}, kAppends = {false, false, false},
                        kKeepsOnce = {false, false, true}, kReplaces = {false, true, true},
                        kRewrites = {false, true, false};

struct McpTool {
  const char* name;
  const char* title;
  const char* description;
  bool api::Policy::*needed;  // the policy's switch that offers it; null: always
  Effect effect;
  ToolInput input;
  base::Json output;  // JSON Schema
  base::Result<ToolAnswer> (*call)(const ToolContext& context, const base::Json& arguments);
  const char* set = nullptr;  // the set in memory.tools that offers it; null: none
  bool exact = false;         // fixed output fields: only `content` has the text
};

// The answer of the tool's operation to the arguments.
inline base::Result<base::Json> Ask(const ToolContext& context, const base::Json& arguments) {
  return ReadAnswer(context.memory.Forward(context.call, context.tool.input.Request(arguments)));
}

}  // namespace sidecar
