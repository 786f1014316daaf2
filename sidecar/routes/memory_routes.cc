// The table of routes, and the decoding of each request.
#include "sidecar/routes/memory_routes.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/http/message/page_query.h"
#include "sidecar/routes/trace_routes.h"
#include "sidecar/service/items.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr size_t kMaxImportBytes = 32 << 20;

// A number of the path, or else of the query.
Result<int64_t> NumberParameter(const http::Request& request, const char* name) {
  const auto found = request.parameters.find(name);
  const std::string text =
      found != request.parameters.end() ? found->second : request.Query(name).value_or("");
  if (const auto number = http::ParseWhole(text)) return *number;
  return Error{Code::kInvalid, std::string(name) + " must be a whole number"};
}

Result<Json> ObjectBody(const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
  if (!body.is_object()) return Error{Code::kInvalid, "the body must be a JSON object"};
  return body;
}

bool IsTrue(const std::optional<std::string>& value) {
  return value && *value != "false" && *value != "0" && !value->empty();
}

AgentMemory::Answer PostSession(AgentMemory& memory, const MemoryCall& call,
                                const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  return memory.BeginSession(call, std::move(body));
}

AgentMemory::Answer EndSession(AgentMemory& memory, const MemoryCall& call,
                               const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  return memory.EndSession(call, request.parameters.at("id"), std::move(body));
}

AgentMemory::Answer PostObservation(AgentMemory& memory, const MemoryCall& call,
                                    const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  return memory.Save(call, std::move(body));
}

AgentMemory::Answer GetObservation(AgentMemory& memory, const MemoryCall& call,
                                   const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t id, NumberParameter(request, "id"));
  return memory.Get(call, id, request.Query("revision"));
}

AgentMemory::Answer GetRevisions(AgentMemory& memory, const MemoryCall& call,
                                 const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t id, NumberParameter(request, "id"));
  return memory.Revisions(call, id, request.query);
}

AgentMemory::Answer PatchObservation(AgentMemory& memory, const MemoryCall& call,
                                     const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t id, NumberParameter(request, "id"));
  ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
  return memory.Update(call, id, body);
}

AgentMemory::Answer DeleteObservation(AgentMemory& memory, const MemoryCall& call,
                                      const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t id, NumberParameter(request, "id"));
  return memory.Delete(call, id, IsTrue(request.Query("hard")));
}

AgentMemory::Answer GetTimeline(AgentMemory& memory, const MemoryCall& call,
                                const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t id, NumberParameter(request, "observation_id"));
  return memory.Timeline(call, id, request.query);
}

AgentMemory::Answer GetList(AgentMemory& memory, const MemoryCall& call,
                            const http::Request& request) {
  return memory.List(call, request.path, request.query);
}

// Reads the whole document as JSON, to set the project of each row; other formats go to the server,
// which streams.
AgentMemory::Answer Import(AgentMemory& memory, const MemoryCall& call,
                           const http::Request& request) {
  if (request.Query("trust")) {
    return Error{Code::kDenied,
                 "what an agent imports is not a user's: leave trust out, or send the file to the "
                 "memory server itself: POST " +
                     call.policy->policy.server_url + "/import"};
  }
  Result<Json> parsed = base::ParseJson(request.body);
  if (!parsed || !parsed->is_object()) {
    return Error{Code::kInvalid,
                 "the sidecar imports one JSON document of at most " +
                     std::to_string(kMaxImportBytes >> 20) +
                     " MiB (\"format\": \"agent-memory/1\"); send JSON lines, a SQLite file or a "
                     "larger export to the memory server itself: POST " +
                     call.policy->policy.server_url + "/import"};
  }
  return memory.Import(call, std::move(*parsed));
}

AgentMemory::Answer Forget(AgentMemory& memory, const MemoryCall& call,
                           const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  return memory.Forget(call, std::move(body));
}

// PUT, GET, PATCH and DELETE of an item.
AgentMemory::Answer AskItem(AgentMemory& memory, const MemoryCall& call,
                            const http::Request& request) {
  AgentMemory::Resource item;
  for (const char* method : {"PUT", "PATCH", "DELETE"})
    if (request.method == method) item.method = method;
  item.path = ItemPath(*call.policy, request.parameters.at("key"));
  item.if_match = request.headers.Get("If-Match");
  item.if_none_match = request.headers.Get("If-None-Match");
  if (request.method == "PUT" || request.method == "PATCH") {
    ASSIGN_OR_RETURN(item.body, ObjectBody(request));
  }
  return memory.Ask(call, std::move(item));
}

AgentMemory::Answer ConsiderItem(AgentMemory& memory, const MemoryCall& call,
                                 const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  return memory.Ask(call, ConsiderCall(call.policy->policy, std::move(body)));
}

// POST of an episode or a search, and GET of a conversation's episodes.
AgentMemory::Answer AskEpisodes(AgentMemory& memory, const MemoryCall& call,
                                const http::Request& request) {
  AgentMemory::Resource episodes;
  episodes.path = request.path;
  if (const auto id = request.parameters.find("conversation"); id != request.parameters.end()) {
    redaction::Redactor::Counts counts;
    episodes.path =
        "/episodic/" + http::PercentEncode(call.policy->redactor.Redact(id->second, counts));
    return memory.Ask(call, std::move(episodes));
  }
  episodes.method = "POST";
  ASSIGN_OR_RETURN(episodes.body, ObjectBody(request));
  episodes.body["source"] = {{"origin", api::kOriginAgent}};
  return memory.Ask(call, std::move(episodes));
}

AgentMemory::Answer Shared(AgentMemory& memory, const MemoryCall& call,
                           const http::Request& request) {
  const bool puts = request.method == "PUT", deletes = request.method == "DELETE";
  AgentMemory::SharedCall shared{puts ? "PUT" : deletes ? "DELETE" : "GET",
                                 "",
                                 "",
                                 std::nullopt,
                                 request.query,
                                 request.headers};
  if (request.parameters.contains("key")) {
    shared.agent = request.parameters.at("agent");
    shared.key = request.parameters.at("key");
  }
  if (puts) {
    ASSIGN_OR_RETURN(shared.value, base::ParseJson(request.body));
  }
  return memory.Shared(call, std::move(shared));
}

}  // namespace

std::vector<http::Route> MemoryRoutes::Routes() {
  using P = api::Policy;
  std::vector<http::Route> routes = {
      {"POST", "/sessions", Bind(PostSession)},
      {"POST", "/sessions/{id}/end", Bind(EndSession), kMaxImportBytes},
      {"GET", "/sessions/recent", Bind(GetList, {&P::auto_search})},
      {"POST", "/observations", Bind(PostObservation, {&P::auto_save})},
      {"GET", "/observations/recent", Bind(GetList, {&P::auto_search})},
      {"GET", "/observations/{id}", Bind(GetObservation)},
      {"GET", "/observations/{id}/revisions", Bind(GetRevisions)},
      {"PATCH", "/observations/{id}", Bind(PatchObservation, {&P::auto_save})},
      {"DELETE", "/observations/{id}", Bind(DeleteObservation, {&P::auto_save})},
      {"GET", "/search", Bind(GetList, {&P::auto_search})},
      {"GET", "/context", Bind(GetList, {&P::auto_search})},
      {"GET", "/timeline", Bind(GetTimeline, {&P::auto_search})},
      {"GET", "/stats", Bind(GetList)},
      {"GET", "/export", Bind(GetList, {&P::allow_admin, &P::auto_search})},
      {"POST", "/import", Bind(Import, {&P::allow_admin, &P::auto_save}), kMaxImportBytes},
      {"POST", "/forget", Bind(Forget, {&P::allow_admin})},
      {"GET", "/items", Bind(GetList, {&P::auto_search})},
      {"GET", "/items/render", Bind(GetList, {&P::auto_search})},
      {"POST", "/items/consider", Bind(ConsiderItem, {&P::auto_save})},
      {"PUT", "/items/{key}", Bind(AskItem, {&P::auto_save})},
      {"GET", "/items/{key}", Bind(AskItem)},
      {"PATCH", "/items/{key}", Bind(AskItem, {&P::auto_save})},
      {"DELETE", "/items/{key}", Bind(AskItem, {&P::auto_save})},
      {"POST", "/episodic/store", Bind(AskEpisodes, {&P::auto_save})},
      {"POST", "/episodic/search", Bind(AskEpisodes, {&P::auto_search})},
      {"GET", "/episodic/{conversation}", Bind(AskEpisodes, {&P::auto_search})},
      {"GET", "/shared", Bind(Shared, {&P::auto_search})},
      {"GET", "/shared/{agent}/{key}", Bind(Shared, {&P::auto_search})},
      {"PUT", "/shared/{agent}/{key}", Bind(Shared, {&P::auto_save})},
      {"DELETE", "/shared/{agent}/{key}", Bind(Shared, {&P::auto_save})},
  };
  for (const MemoryRoute& route : TraceRoutes())
    routes.push_back({route.method, route.pattern, Bind(route.ask, route.needed)});
  for (http::Route& route : routes) route.waits = true;
  routes.push_back({"GET", "/health", [](const http::Request&) {
                      return http::JsonResponse(200, {{"status", "ok"}});
                    }});
  return routes;
}

// `needed`: switches of the policy that must be on.
http::Handler MemoryRoutes::Bind(Method method, std::vector<bool api::Policy::*> needed) {
  return [this, method, needed = std::move(needed)](const http::Request& request) {
    const auto policy = policies_.InForce();
    if (!policy) return http::ErrorResponse(policy.error());
    if (!std::ranges::all_of(needed, [&](auto on) { return (*policy)->policy.*on; })) {
      return http::ErrorResponse({Code::kDenied, "the policy of this agent does not allow " +
                                                     request.method + " " + request.path});
    }
    auto answer = method(memory_, CallOf(request, *policy), request);
    return answer ? std::move(*answer) : http::ErrorResponse(answer.error());
  };
}

}  // namespace sidecar
