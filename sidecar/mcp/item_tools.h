// The tools of key-value items, offered by a policy with `tools: chapter`.
#pragma once

#include <vector>

#include "sidecar/mcp/tool.h"

namespace sidecar {

std::vector<McpTool> ItemTools();

}  // namespace sidecar
