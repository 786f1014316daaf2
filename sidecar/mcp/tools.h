// The memory tools that a model may call: what each is called, when to call it, what goes in and
// out. The protocol around them is mcp_endpoint.h.
#pragma once

#include <string>
#include <vector>

#include "sidecar/mcp/tool.h"

namespace sidecar {

// In the order in which they are listed.
const std::vector<McpTool>& McpTools();
bool IsOffered(const McpTool& tool, const api::Policy& policy);
base::Json DescribeTool(const McpTool& tool);  // as tools/list has it

// What a model should know about memory as a whole, for the switches that are on.
std::string McpInstructions(const api::Policy& policy);

}  // namespace sidecar
