// The routes of consolidation: decodes, calls it, encodes.
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

Response ReflectAnswer(const Result<Json>& answer) {
  return answer ? http::JsonResponse(200, *answer) : http::ErrorResponse(answer.error());
}

Response ReflectTraces(const Api& api, const Request& request) {
  return ReflectAnswer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Json body, BodyOrNothing(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(const std::string topic, api::OptionalText(body, "topic", api::kMaxTitle));
    ASSIGN_OR_RETURN(const bool dry_run, api::OptionalFlag(body, "dryRun"));
    ASSIGN_OR_RETURN(const api::Source source, api::DecodeSource(body));
    const std::string writer = api::IsOrigin(source.origin) ? source.origin : api::kOriginUser;
    ASSIGN_OR_RETURN(const ConsolidationRun run,
                     api.store.consolidation().Reflect(context, dry_run, writer));
    return EncodeRun(run);
  }());
}

Response ReflectRuns(const Api& api, const Request& request) {
  return ReflectAnswer([&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, Json::object()));
    ASSIGN_OR_RETURN(const size_t limit, CountParameter(request, "limit", 20));
    ASSIGN_OR_RETURN(const auto runs,
                     api.store.consolidation().Runs(context, std::min(limit, kMaxRunsListed)));
    Json list = Json::array();
    for (const ConsolidationRun& run : runs) list.push_back(EncodeLoggedRun(run));
    return Json{{"runs", std::move(list)}};
  }());
}

Response UndoReflectRun(const Api& api, const Request& request) {
  return ReflectAnswer([&]() -> Result<Json> {
    const std::string& run = request.parameters.at("run");
    ASSIGN_OR_RETURN(const Json body, BodyOrNothing(request));
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, body));
    ASSIGN_OR_RETURN(const auto undone, api.store.consolidation().Undo(context, run));
    if (!undone)
      return Error{Code::kNotFound, "there is no run " + run + " of this user and agent"};
    return EncodeRunCounts(*undone);
  }());
}

Response OriginalOfTrace(const Api& api, const Request& request) {
  return ReflectAnswer([&]() -> Result<Json> {
    const std::string& id = request.parameters.at("id");
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, Json::object()));
    ASSIGN_OR_RETURN(const auto original, api.store.consolidation().Rehydrate(context, id));
    if (!original)
      return Error{Code::kNotFound, "there is no trace " + id + " of this user, agent and project"};
    return Json{{"verbatimContent", original->content ? Json(*original->content) : Json()},
                {"archivedAt", original->archived_ms ? Json(*original->archived_ms) : Json()}};
  }());
}

}  // namespace

HandlerTable ReflectHandlers() {
  return {
      {"reflect", ReflectTraces},
      {"list_runs", ReflectRuns},
      {"undo_run", UndoReflectRun},
      {"get_original", OriginalOfTrace},
  };
}

}  // namespace memory
