// The functions of the tools over traces. Arguments fit the tool's input schema; trace_tools.h has
// names and descriptions.
#pragma once

#include "sidecar/mcp/tool.h"

namespace sidecar {

base::Result<ToolAnswer> AddTraceCall(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> UpdateTraceCall(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> DeleteTraceCall(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> MergeTracesCall(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> SearchTracesCall(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> ReflectCall(const ToolContext& context, const base::Json& arguments);
base::Result<ToolAnswer> RehydrateCall(const ToolContext& context, const base::Json& arguments);

}  // namespace sidecar
