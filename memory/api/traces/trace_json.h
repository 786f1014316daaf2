// Bodies of traces, by the contract of AgentOS' memory tools. Pure. Every error names the field,
// its limit and the value.
#pragma once

#include "lib/http/message/message.h"
#include "memory/store/consolidation.h"
#include "memory/store/traces.h"

namespace memory {

// Project and conversation: of the query, else of the body; user and agent: of the headers
// X-Memory-User and X-Memory-Agent, so that no argument of a model says them.
base::Result<TraceContext> ContextOf(const http::Request& request, const base::Json& body);
base::Result<NewTrace> DecodeNewTrace(const base::Json& body);
base::Result<TraceChange> DecodeTraceChange(const base::Json& body);
base::Result<TraceWriter> DecodeWriter(const base::Json& body);

struct MergeOrder {
  std::vector<std::string> ids;
  std::string content;  // empty: those of the sources
  api::Source source;
  TraceWriter writer;
};
base::Result<MergeOrder> DecodeMerge(const base::Json& body);
base::Result<TraceEdge> DecodeEdge(const std::string& to, const base::Json& body);
base::Result<TraceQuestion> DecodeTraceQuestion(const base::Json& body);

base::Json EncodeTrace(const Trace& trace);
base::Json EncodeFound(const FoundTrace& found);
base::Json EncodeRunCounts(const ConsolidationCounts& counts);
base::Json EncodeRun(const ConsolidationRun& run);
base::Json EncodeLoggedRun(const ConsolidationRun& run);  // with its times
base::Json EncodeEdges(const std::vector<TraceEdge>& edges);

}  // namespace memory
