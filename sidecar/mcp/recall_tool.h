// The tool recall: messages of the agent's own conversations, a page at a time.
#pragma once

#include "sidecar/mcp/tool.h"

namespace sidecar {

base::Result<ToolAnswer> RecallMessages(const ToolContext& context, const base::Json& arguments);
// The page that a call asks for: the newest one unless it says from where. Pure.
MessageQuestion PageAskedFor(const base::Json& arguments);

}  // namespace sidecar
