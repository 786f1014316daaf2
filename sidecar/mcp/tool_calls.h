// The functions of the memory tools over agent_memory.h. Arguments fit the tool's input schema.
// tools.h has names and descriptions.
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

}  // namespace sidecar
