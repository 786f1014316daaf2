// The memory tools of AgentOS over traces, which a policy with tools: agentos offers.
#pragma once

#include <vector>

#include "sidecar/mcp/tool.h"

namespace sidecar {

inline constexpr const char* kAgentOsSet = "agentos";
std::vector<McpTool> TraceTools();

}  // namespace sidecar
