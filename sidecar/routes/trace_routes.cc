// A request goes on with its path and its JSON; project, user, Agent and writer are the policy's.
#include "sidecar/routes/trace_routes.h"

#include <utility>

#include "lib/base/text/text.h"
#include "sidecar/service/traces.h"

namespace sidecar {
namespace {

using base::Json;
using P = api::Policy;

constexpr const char* kMergePath = "/traces/merge";
constexpr size_t kMostMerged = 100;  // the server refuses more

const char* MethodOf(const http::Request& request) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"})
    if (request.method == method) return method;
  return "GET";
}

// Each segment is encoded by us, whatever its bytes are.
base::Result<std::string> PathOf(const http::Request& request) {
  std::string path;
  for (const std::string& segment : base::Split(request.path.substr(1), '/')) {
    ASSIGN_OR_RETURN(const std::string decoded, http::PercentDecode(segment));
    path += "/" + http::PercentEncode(decoded);
  }
  return path;
}

// The traces that a delete or a merge hides; what is no id the server names.
std::vector<std::string> HiddenBy(const http::Request& request, const Json& body) {
  if (request.method == "DELETE" && !request.parameters.contains("to"))
    return {request.parameters.at("id")};
  std::vector<std::string> ids;
  if (request.path != kMergePath) return ids;
  const Json* given = base::At(body, {"traceIds"});
  if (given == nullptr || !given->is_array() || given->size() > kMostMerged) return ids;
  for (const Json& id : *given)
    if (id.is_string()) ids.push_back(id);
  return ids;
}

AgentMemory::Answer AskTraces(AgentMemory& memory, const MemoryCall& call,
                              const http::Request& request) {
  Json body;
  if (!request.body.empty()) {
    ASSIGN_OR_RETURN(body, base::ParseJson(request.body));
    if (!body.is_object())
      return base::Error{base::Code::kInvalid, "the body must be a JSON object"};
  }
  if (request.method == "DELETE" && body.is_null()) body = Json::object();  // has its writer
  const api::Policy& policy = call.policy->policy;
  if (request.path == api::kIngestPath && body.is_object())
    body["settings"] = api::EncodeIngestSettings(policy.auto_ingest, policy.personality);
  ASSIGN_OR_RETURN(std::string path, PathOf(request));
  auto resource = TraceCall(policy, MethodOf(request), std::move(path), std::move(body));
  if (resource.conversation.empty())
    resource.conversation = request.Query("conversation").value_or("");
  resource.query = request.query;
  const std::vector<std::string> hidden = HiddenBy(request, resource.body);
  return AskToHide(memory, call, hidden, std::move(resource));
}

}  // namespace

const std::vector<MemoryRoute>& TraceRoutes() {
  constexpr auto kSave = &P::auto_save, kSearch = &P::auto_search;
  static const std::vector<MemoryRoute> routes = {
      {"POST", "/traces", AskTraces, {kSave}},
      {"POST", "/traces/search", AskTraces, {kSearch}},
      {"POST", kMergePath, AskTraces, {kSave}},
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
  };
  return routes;
}

}  // namespace sidecar
