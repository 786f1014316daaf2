// Health, the OpenAPI document, sessions, counts: decodes, calls the store, encodes.
#include "lib/api/limits.h"
#include "lib/api/operations/openapi.h"
#include "memory/api/handlers.h"
#include "memory/api/json_elements.h"
#include "memory/api/list_answer.h"
#include "memory/api/validate.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using http::ErrorResponse;
using http::JsonResponse;
using http::Request;
using http::Response;

namespace {

Result<Json> ReadTranscript(const Request& request, SessionEnd& end, api::SummaryBuilder& summary) {
  ASSIGN_OR_RETURN(end.interim, FlagParameter(request, "interim"));
  end.project = TextParameter(request, "project");
  ElementHandlers handlers;
  handlers.on_element = [&](const std::string& array, Json element) -> Status {
    if (array != "messages") return {};
    ASSIGN_OR_RETURN(api::SummaryMessage message, DecodeSummaryMessage(element));
    summary.Add(message.role, message.content);
    return {};
  };
  handlers.on_field = [&](const std::string& name, const Json& value) -> Status {
    if (name == "messages" && !value.is_null())
      return Error{Code::kInvalid, "messages must be an array"};
    if (name != "omitted") return {};
    if (!value.is_number_unsigned() || value.get<uint64_t>() > api::kMaxOmittedMessages)
      return Error{Code::kInvalid, "omitted must be a whole number up to 1,000,000,000"};
    summary.AddOmitted(value.get<int64_t>());
    return {};
  };
  RETURN_IF_ERROR(ReadElements(*request.stream, handlers));
  end.summary = summary.Text();
  end.message_count = summary.counted();
  return Json();
}

Response OpenApi(const Api&, const Request&) {
  return JsonResponse(200, api::OpenApiDocument(AGENT_MEMORY_VERSION));
}

Response Health(const Api& api, const Request&) {
  if (api.store.Failed())
    return ErrorResponse({Code::kUnavailable, "the database cannot be written any more"});
  return JsonResponse(200, {{"status", "ok"}});
}

Response PostSession(const Api& api, const Request& request) {
  return Answer(201, [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(NewSession made, DecodeNewSession(body));
    ASSIGN_OR_RETURN(
        api::Session session,
        api.store.StartSession(made.id, made.project, made.predecessor, api.clock.NowMs()));
    return api::EncodeSession(session);
  }());
}

Response EndSession(const Api& api, const Request& request) {
  return Answer(200, [&]() -> Result<Json> {
    SessionEnd end;
    api::SummaryBuilder summary;
    ASSIGN_OR_RETURN(Json read, ReadTranscript(request, end, summary));
    ASSIGN_OR_RETURN(api::Session session,
                     api.store.EndSession(request.parameters.at("id"), end, api.clock.NowMs()));
    return Json{{"session_id", session.id},
                {"summary", session.summary},
                {"message_count", session.message_count},
                {"tool_results", summary.tool_results()}};
  }());
}

Response RecentSessions(const Api& api, const Request& request) {
  size_t limit = 0;
  auto page = [&]() -> Result<std::vector<api::Session>> {
    ASSIGN_OR_RETURN(limit, CountParameter(request, "limit", 5));
    ASSIGN_OR_RETURN(SessionKey before, SessionCursor(request));
    ASSIGN_OR_RETURN(const auto viewer, ViewerOf(request));
    return api.store.RecentSessions(TextParameter(request, "project"), limit + 1, before, viewer);
  }();
  return PageAnswer(std::move(page), limit, api::EncodeSession);
}

Response Stats(const Api& api, const Request& request) {
  return Answer(200, [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const auto viewer, ViewerOf(request));
    ASSIGN_OR_RETURN(Totals totals, api.store.Count(TextParameter(request, "project"), viewer));
    return Json{{"total_sessions", totals.sessions},
                {"total_observations", totals.observations},
                {"projects", totals.projects}};
  }());
}

Response Forget(const Api&, const Request&) {
  return JsonResponse(
      501,
      {{"error",
        "/forget is not served yet; DELETE /observations/{id}?hard=true erases one observation"},
       {"code", "not_implemented"}});
}

}  // namespace

HandlerTable SessionHandlers() {
  return {
      {"get_openapi", OpenApi},
      {"get_health", Health},
      {"begin_session", PostSession},
      {"end_session", EndSession},
      {"list_sessions", RecentSessions},
      {"get_stats", Stats},
      {"forget", Forget},
  };
}

}  // namespace memory
