// Decodes, calls the traces, encodes.
#include "lib/api/limits.h"
#include "memory/api/handlers.h"
#include "memory/api/traces/trace_json.h"
#include "memory/api/validate.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using http::Request;
using http::Response;

namespace {

Response Answer(const Result<Json>& answer, int status = 200) {
  return answer ? http::JsonResponse(status, *answer) : http::ErrorResponse(answer.error());
}

Error NoTrace(const std::string& id) {
  return Error{Code::kNotFound, "there is no trace " + id + " of this user, agent and project"};
}

Result<Json> Due(const Api& api, const Request& request, size_t limit) {
  ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, Json::object()));
  ASSIGN_OR_RETURN(const auto due,
                   api.store.traces().Due(context, std::min(limit, api::kMaxTracesFound)));
  Json traces = Json::array();
  for (const Trace& trace : due) {
    traces.push_back(EncodeTrace(trace));
    traces.back()["revisions"] = trace.revisions;
  }
  return traces;
}

Response PostTrace(const Api& api, const Request& request) {
  const Result<TraceAdded> added = [&]() -> Result<TraceAdded> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(const NewTrace trace, DecodeNewTrace(body));
    return api.store.traces().Add(context, trace);
  }();
  if (!added) return http::ErrorResponse(added.error());
  return http::JsonResponse(added->created ? 201 : 200, {{"traceId", added->id}});
}

Response GetTrace(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    const std::string& id = request.parameters.at("id");
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, Json::object()));
    ASSIGN_OR_RETURN(const bool deleted, FlagParameter(request, "deleted"));
    ASSIGN_OR_RETURN(const auto view, api.store.traces().Get(context, id, deleted));
    if (!view) return NoTrace(id);
    Json json = EncodeTrace(view->trace);
    json["edges"] = EncodeEdges(view->edges);
    json["mergedInto"] = view->trace.merged_into.empty() ? Json() : Json(view->trace.merged_into);
    json["sources"] = view->sources;
    json["revisions"] = view->trace.revisions;
    return json;
  }());
}

Response PatchTrace(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(const TraceChange change, DecodeTraceChange(body));
    ASSIGN_OR_RETURN(const bool updated,
                     api.store.traces().Update(context, request.parameters.at("id"), change));
    return Json{{"updated", updated}};
  }());
}

Response DeleteTrace(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Json body, BodyOrNothing(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    Json said = body;
    if (const auto reason = TextParameter(request, "reason")) said["reason"] = *reason;
    ASSIGN_OR_RETURN(const std::string reason, api::OptionalText(said, "reason", api::kMaxTitle));
    ASSIGN_OR_RETURN(const TraceWriter writer, DecodeWriter(body));
    ASSIGN_OR_RETURN(const bool deleted, api.store.traces().Delete(
                                             context, request.parameters.at("id"), reason, writer));
    return Json{{"deleted", deleted}};
  }());
}

Response MergeTraces(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(const MergeOrder order, DecodeMerge(body));
    ASSIGN_OR_RETURN(
        const TraceMerged merged,
        api.store.traces().Merge(context, order.ids, order.content, order.source, order.writer));
    return Json{{"mergedTraceId", merged.id}, {"sourcesDeleted", merged.sources_deleted}};
  }());
}

Response UnmergeTrace(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    const std::string& id = request.parameters.at("id");
    ASSIGN_OR_RETURN(const Json body, BodyOrNothing(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(const TraceWriter writer, DecodeWriter(body));
    ASSIGN_OR_RETURN(const auto restored, api.store.traces().Unmerge(context, id, writer));
    if (!restored) return NoTrace(id);
    return Json{{"restored", *restored}};
  }());
}

Response SearchTraces(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(TraceQuestion question, DecodeTraceQuestion(body));
    question.stop = request.client_gone;
    Result<FoundTraces> found = api.store.traces().Search(context, question);
    if (!found && question.operators && found.error().code == Code::kInvalid) {
      question.operators = false;  // what does not parse is searched as words
      found = api.store.traces().Search(context, question);
    }
    if (!found) return found.error();
    Json answer = {{"results", Json::array()}};
    for (const FoundTrace& one : found->rows) answer["results"].push_back(EncodeFound(one));
    if (found->partial) answer["partial"] = true;
    return answer;
  }());
}

Response DueTraces(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const size_t limit, CountParameter(request, "limit", 10));
    ASSIGN_OR_RETURN(Json due, Due(api, request, limit));
    return Json{{"traces", std::move(due)}};
  }());
}

Response ContextWithDue(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const size_t limit, CountParameter(request, "due", 0));
    ASSIGN_OR_RETURN(Json answer, ContextAnswer(api, request));
    if (limit == 0) return answer;
    ASSIGN_OR_RETURN(answer["due"], Due(api, request, limit));
    return answer;
  }());
}

Response PutEdge(const Api& api, const Request& request) {
  return Answer([&]() -> Result<Json> {
    const std::string &from = request.parameters.at("id"), &to = request.parameters.at("to");
    ASSIGN_OR_RETURN(const Json body, BodyOrNothing(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(const TraceEdge edge, DecodeEdge(to, body));
    if (from == to) return Error{Code::kInvalid, "an edge leads to another trace, not to " + to};
    ASSIGN_OR_RETURN(const bool put, api.store.traces().PutEdge(context, from, edge));
    if (!put) return NoTrace(from + " or " + to);
    return Json{{"to", edge.to}, {"kind", edge.kind}, {"weight", edge.weight}};
  }());
}

Response DeleteEdge(const Api& api, const Request& request) {
  const Result<bool> removed = [&]() -> Result<bool> {
    ASSIGN_OR_RETURN(const Json body, BodyOrNothing(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    return api.store.traces().DeleteEdge(context, request.parameters.at("id"),
                                         request.parameters.at("to"));
  }();
  if (!removed) return http::ErrorResponse(removed.error());
  if (*removed) return http::EmptyResponse(204);
  return http::ErrorResponse(Error{Code::kNotFound, "there is no such edge"});
}

}  // namespace

HandlerTable TraceHandlers() {
  return {
      {"add_trace", PostTrace},        {"merge_traces", MergeTraces},
      {"search_traces", SearchTraces}, {"list_due", DueTraces},
      {"get_context", ContextWithDue}, {"get_trace", GetTrace},
      {"change_trace", PatchTrace},    {"delete_trace", DeleteTrace},
      {"unmerge_trace", UnmergeTrace}, {"put_edge", PutEdge},
      {"delete_edge", DeleteEdge},
  };
}

}  // namespace memory
