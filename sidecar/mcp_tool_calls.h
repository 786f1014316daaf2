// What the memory tools do, one function a tool, each over its twin route. Arguments were checked
// against the tool's input schema. What the tools are called is mcp_tools.h.
#pragma once

#include "sidecar/mcp_tools.h"

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

// Pure parts, declared for their tests.

// True when `query` is meant as operators: a phrase in balanced quotes, a word with * at its end,
// AND, OR or NOT between words (rulings K32).
bool HasOperators(std::string_view query);
// "type/the-words-of-the-title": at most 60 bytes, the same for the same title; never empty.
std::string TopicKeyFor(std::string_view type, std::string_view title);

}  // namespace sidecar
