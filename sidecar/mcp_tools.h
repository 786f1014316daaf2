// The memory tools that a model may call: what each is called, when to call it, what goes in and
// out. Each does what its twin route does. The protocol around them is mcp_endpoint.h.
#pragma once

#include <string>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/mcp_twin_routes.h"

namespace sidecar {

// What a call needs beside its arguments.
struct ToolContext {
  const TwinRoutes& twins;
  const api::Policy& policy;
  const http::Request& request;  // the one that carried the call
};

// `text` is for a model, with everything that was stored fenced as data. `structured`, with `text`
// added to it, fits the tool's output schema; it has ids, numbers and times, nothing that was
// stored.
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
};

// In the order in which they are listed.
const std::vector<McpTool>& McpTools();
bool IsOffered(const McpTool& tool, const api::Policy& policy);
base::Json DescribeTool(const McpTool& tool);  // as tools/list has it

// What a model should know about memory as a whole, for the switches that are on.
std::string McpInstructions(const api::Policy& policy);

}  // namespace sidecar
