// Forwards path and JSON of a request; project, user, Agent and writer come from the policy.
#include "sidecar/routes/trace_routes.h"

#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/service/traces.h"

namespace sidecar {
namespace {

using base::Json;
using P = api::Policy;

const char* MethodOf(const http::Request& request) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"})
    if (request.method == method) return method;
  return "GET";
}

// Decodes and encodes each segment again, so that the path contains no raw bytes of the agent.
base::Result<std::string> PathOf(const http::Request& request) {
  std::string path;
  for (const std::string& segment : base::Split(request.path.substr(1), '/')) {
    ASSIGN_OR_RETURN(const std::string decoded, http::PercentDecode(segment));
    path += "/" + http::PercentEncode(decoded);
  }
  return path;
}

AgentMemory::Answer AskTraces(AgentMemory& memory, const MemoryCall& call,
                              const http::Request& request) {
  Json body;
  if (!request.body.empty()) {
    ASSIGN_OR_RETURN(body, base::ParseJson(request.body));
    if (!body.is_object())
      return base::Error{base::Code::kInvalid, "the body must be a JSON object"};
  }
  if (request.method != "GET" && body.is_null()) body = Json::object();  // needs a writer
  const api::Policy& policy = call.policy->policy;
  ASSIGN_OR_RETURN(std::string path, PathOf(request));
  auto resource = TraceCall(policy, MethodOf(request), std::move(path), std::move(body));
  if (resource.conversation.empty())
    resource.conversation = request.Query("conversation").value_or("");
  resource.query = request.query;
  return memory.Ask(call, std::move(resource));
}

}  // namespace

const std::vector<MemoryRoute>& TraceRoutes() {
  constexpr auto kSave = &P::auto_save, kSearch = &P::auto_search;
  static const std::vector<MemoryRoute> routes = {
      {"POST", "/traces", AskTraces, {kSave}},
      {"POST", kSearchTracesPath, AskTraces, {kSearch}},
      {"POST", "/traces/merge", AskTraces, {kSave}},
      {"POST", "/traces/reflect", AskTraces, {kSave}},
      {"GET", "/traces/reflect/runs", AskTraces, {}},
      {"POST", "/traces/reflect/runs/{run}/undo", AskTraces, {kSave}},
      {"GET", "/traces/due", AskTraces, {kSearch}},
      {"GET", "/traces/{id}", AskTraces, {}},
      {"PATCH", "/traces/{id}", AskTraces, {kSave}},
      {"DELETE", "/traces/{id}", AskTraces, {kSave}},
      {"GET", "/traces/{id}/original", AskTraces, {}},
      {"POST", "/traces/{id}/unmerge", AskTraces, {kSave}},
      {"PUT", "/traces/{id}/edges/{to}", AskTraces, {kSave}},
      {"DELETE", "/traces/{id}/edges/{to}", AskTraces, {kSave}},
      {"POST", api::kIngestPath, AskTraces, {kSave}},
      {"GET", "/ingest/turns/{turn}", AskTraces, {}},
      {"POST", "/ingest/turns/{turn}/retry", AskTraces, {kSave}},
  };
  return routes;
}

}  // namespace sidecar
