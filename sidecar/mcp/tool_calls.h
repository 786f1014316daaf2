// The functions of the memory tools over agent_memory.h, and of `recall` over the agent's own
// conversations. Arguments fit the tool's input schema. tools.h has names and descriptions.
#pragma once

#include "sidecar/mcp/tool.h"

namespace sidecar {

base::Result<ToolAnswer> MemSave(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MemSearch(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MemContext(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MemGet(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MemUpdate(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MemDelete(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MemTimeline(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MemSuggestTopicKey(const ToolContext& context,
                                            const base::Json& arguments);

base::Result<ToolAnswer> RecallMessages(const ToolContext& context, const base::Json& arguments);
// The requested page: the newest one without the argument `from`. Pure.
MessageQuestion RequestedPage(const base::Json& arguments);

}  // namespace sidecar
