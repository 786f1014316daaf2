// The memory tools of AgentOS over traces, offered by a policy with `tools: agentos`.
#pragma once

#include <vector>

#include "sidecar/mcp/tool.h"

namespace sidecar {

using api::kAgentOsSet;
std::vector<McpTool> TraceTools();

}  // namespace sidecar
