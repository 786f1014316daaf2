// GET and PUT /retention: how long a project's observations are kept.
#include "memory/api/handlers.h"
#include "memory/api/validate.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using http::Request;
using http::Response;

namespace {

Result<std::string> ProjectOf(const Request& request) {
  std::optional<std::string> project = TextParameter(request, "project");
  if (!project) return Error{Code::kInvalid, "project is required"};
  return api::RequiredText({{"project", *project}}, "project", api::kMaxProject);
}

Result<Json> RetentionAnswer(const Api& api, const std::string& project) {
  ASSIGN_OR_RETURN(RetentionRules rules, api.store.Retention(project));
  return Json{{"project", project}, {"retention", EncodeRetention(rules)}};
}

Response GetRetention(const Api& api, const Request& request) {
  Result<Json> answer = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(std::string project, ProjectOf(request));
    return RetentionAnswer(api, project);
  }();
  return answer ? http::JsonResponse(200, *answer) : http::ErrorResponse(answer.error());
}

Response PutRetention(const Api& api, const Request& request) {
  Result<Json> answer = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(std::string project, ProjectOf(request));
    ASSIGN_OR_RETURN(Json body, ObjectBody(request));
    if (!body.contains("retention"))
      return Error{Code::kInvalid, "retention is required: a list of rules, [] for the default"};
    ASSIGN_OR_RETURN(RetentionRules rules, DecodeRetention(body["retention"]));
    if (!api.administrator) RETURN_IF_ERROR(CheckAgentsRetention(rules));
    RETURN_IF_ERROR(api.store.SetRetention(project, rules));
    return RetentionAnswer(api, project);
  }();
  return answer ? http::JsonResponse(200, *answer) : http::ErrorResponse(answer.error());
}

}  // namespace

HandlerTable RetentionHandlers() {
  return {
      {"get_retention", GetRetention},
      {"set_retention", PutRetention},
  };
}

}  // namespace memory
