// The list of memory tools: names, descriptions for models, schemas. endpoint.h has the protocol.
#pragma once

#include <string>
#include <vector>

#include "sidecar/mcp/tool.h"

namespace sidecar {

// In the order of tools/list.
const std::vector<McpTool>& McpTools();
bool IsOffered(const McpTool& tool, const api::Policy& policy);
base::Json DescribeTool(const McpTool& tool);  // in the form of tools/list

// The instructions for a model about memory as a whole, for the policy's switches.
std::string McpInstructions(const api::Policy& policy);

}  // namespace sidecar
