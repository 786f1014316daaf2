// Traces with their texts, and edges, as AgentOS' JSON has them. Pure.
#pragma once

#include "lib/base/result.h"
#include "memory/store/exported_traces.h"

namespace memory {

// As the routes answer it, with `storedStrength` (that of lastAccessed), `verbatimContent` and
// `archivedAt` of a compacted one, and `embedding` (of length 1) with `embeddingModel` where it has
// a vector.
base::Json EncodeWholeTrace(const WholeTrace& whole);
base::Json EncodeGraphEdge(const ExportedEdge& edge);  // {from, to, kind, weight}

// Missing fields: type episodic, scope user, strength 1, the scope id that the scope has in
// `context`, and its project. `strength` counts as storedStrength where that is missing. An id that
// is none of ours becomes one (ForeignTraceId). Embeddings are left out: the server makes its own.
base::Result<WholeTrace> DecodeWholeTrace(const base::Json& json, const TraceContext& context);
base::Result<ExportedEdge> DecodeGraphEdge(const base::Json& json);
std::string ForeignTraceId(const std::string& id);

}  // namespace memory
