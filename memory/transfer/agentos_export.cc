// AgentOS' JSON: one object of arrays, written while its rows are read.
#include <set>

#include "lib/conversation/routes/conversation_transfer.h"
#include "memory/api/traces/trace_json.h"
#include "memory/api/traces/whole_traces.h"
#include "memory/api/validate.h"
#include "memory/transfer/export_body.h"
#include "memory/transfer/rows/agentos_rows.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;

namespace {

struct AgentOsWriting {
  std::shared_ptr<ExportCursor> cursor;
  std::shared_ptr<conversation::Host> conversations;  // null: they are left out
  bool embeddings = false;
};

Status WriteAgentOs(const AgentOsWriting& writing, http::BodyWriter& writer) {
  ExportBody body(writer);
  const auto start = [&](const char* name, const char* before = "],\n") {
    return body.BeginArray(before + ("\"" + std::string(name) + "\":["));
  };
  const auto add = [&](const Json& json) { return body.Element(json); };
  ExportCursor& cursor = *writing.cursor;
  std::set<std::string> kept;  // arrays of which something was kept
  RETURN_IF_ERROR(start("traces", "{"));
  RETURN_IF_ERROR(cursor.WalkWholeTraces(writing.embeddings, [&](const WholeTrace& one) -> Status {
    const std::string array = KeptElements::ArrayOf(one.type, one.trace.tags);
    if (!array.empty()) kept.insert(array);
    return array.empty() ? add(EncodeWholeTrace(one)) : Status();
  }));
  // A walk for each array that there is: an element is not held longer than it takes to write it.
  const auto add_kept = [&](const std::string& array) -> Status {
    if (!kept.contains(array)) return {};
    KeptElements elements(array);
    return cursor.WalkWholeTraces(false, [&](const WholeTrace& one) -> Status {
      if (KeptElements::ArrayOf(one.type, one.trace.tags) != array) return {};
      return elements.Take(one.title, one.trace.content, add);
    });
  };
  RETURN_IF_ERROR(start("edges"));
  RETURN_IF_ERROR(
      cursor.WalkEdges([&](const ExportedEdge& one) { return add(EncodeGraphEdge(one)); }));
  RETURN_IF_ERROR(add_kept("edges"));
  for (const char* array : {"documents", "chunks", "images"}) {
    RETURN_IF_ERROR(start(array));
    RETURN_IF_ERROR(add_kept(array));
  }
  if (kept.contains("nodes")) {
    RETURN_IF_ERROR(start("nodes"));
    RETURN_IF_ERROR(add_kept("nodes"));
  }
  RETURN_IF_ERROR(start("conversations"));
  if (writing.conversations)
    RETURN_IF_ERROR(conversation::WalkConversations(*writing.conversations, add));
  RETURN_IF_ERROR(start("messages"));
  if (writing.conversations)
    RETURN_IF_ERROR(conversation::WalkMessages(*writing.conversations, add));
  RETURN_IF_ERROR(start("consolidation_log"));
  RETURN_IF_ERROR(
      cursor.WalkRuns([&](const ConsolidationRun& one) { return add(EncodeLoggedRun(one)); }));
  RETURN_IF_ERROR(body.Write("]}\n"));
  return body.Flush();
}

Result<AgentOsWriting> Prepare(const Api& api, const http::Request& request) {
  AgentOsWriting writing;
  ASSIGN_OR_RETURN(writing.embeddings, FlagParameter(request, "includeEmbeddings"));
  bool with_conversations = true;
  if (request.Query("includeConversations")) {
    ASSIGN_OR_RETURN(with_conversations, FlagParameter(request, "includeConversations"));
  }
  const auto project = TextParameter(request, "project");
  ASSIGN_OR_RETURN(const auto viewer, ViewerOf(request));
  ASSIGN_OR_RETURN(writing.cursor, api.store.OpenExport(project, viewer));
  if (with_conversations && !project) writing.conversations = api.store.Conversations(api.caller);
  return writing;
}

}  // namespace

http::Response ExportAgentOs(const Api& api, const http::Request& request) {
  Result<AgentOsWriting> writing = Prepare(api, request);
  if (!writing) return http::ErrorResponse(writing.error());
  http::Response response;
  response.headers.Set("Content-Type", "application/json");
  response.stream = [made = std::move(*writing)](http::BodyWriter& writer) {
    return WriteAgentOs(made, writer);
  };
  return response;
}

}  // namespace memory
