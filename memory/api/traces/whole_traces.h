// Traces with their texts, and edges, in AgentOS' JSON. Pure.
#pragma once

#include "lib/base/result.h"
#include "memory/store/exported_traces.h"

namespace memory {

// Like the answers of the routes, plus `storedStrength` (as of lastAccessed), `verbatimContent` and
// `archivedAt` of a compacted trace, and `embedding` (normalized) with `embeddingModel` if it has a
// vector.
base::Json EncodeWholeTrace(const WholeTrace& whole);
base::Json EncodeGraphEdge(const ExportedEdge& edge);  // {from, to, kind, weight}

// Defaults: type episodic, scope user, strength 1, the scope id of the scope in `context`, and its
// project; `strength` for a missing storedStrength. A foreign id is mapped to a UUID
// (ForeignTraceId). Ignores embeddings: the server makes its own.
base::Result<WholeTrace> DecodeWholeTrace(const base::Json& json, const TraceContext& context);
base::Result<ExportedEdge> DecodeGraphEdge(const base::Json& json);
std::string ForeignTraceId(const std::string& id);

}  // namespace memory
