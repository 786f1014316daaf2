// The tool `recall`: messages of the agent's own conversations, in pages.
#pragma once

#include "sidecar/mcp/tool.h"

namespace sidecar {

base::Result<ToolAnswer> RecallMessages(const ToolContext& context, const base::Json& arguments);
// The requested page: the newest one without the argument `from`. Pure.
MessageQuestion RequestedPage(const base::Json& arguments);

}  // namespace sidecar
