// The tools over key-value items, which a policy with tools: chapter offers.
#pragma once

#include <vector>

#include "sidecar/mcp/tool.h"

namespace sidecar {

std::vector<McpTool> ItemTools();

}  // namespace sidecar
