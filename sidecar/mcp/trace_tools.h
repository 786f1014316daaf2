// The memory tools of AgentOS over traces, which a policy with tools: agentos offers.
#pragma once

#include <vector>

#include "sidecar/mcp/tool.h"

namespace sidecar {

using api::kAgentOsSet;
std::vector<McpTool> TraceTools();

}  // namespace sidecar
