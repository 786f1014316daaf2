// Serves each row that the sidecar forwards.
#include "sidecar/routes/memory_routes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/api/operations/operations.h"
#include "lib/http/message/page_query.h"

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

// The requests that are more than forwarded: writes through the outbox, and rows whose owner is
// checked first.
struct Own {
  std::string_view name;
  AgentMemory::Answer (*ask)(AgentMemory&, const MemoryCall&, const http::Request&);
};
constexpr Own kOwn[] = {{"begin_session", PostSession},
                        {"end_session", EndSession},
                        {"save_observation", PostObservation},
                        {"get_observation", GetObservation},
                        {"list_revisions", GetRevisions},
                        {"change_observation", PatchObservation},
                        {"delete_observation", DeleteObservation},
                        {"get_timeline", GetTimeline},
                        {"import", Import}};

// The body as the row has it; a missing one is {} where no field is needed.
Result<std::optional<Json>> BodyOf(const api::Operation& row, const http::Request& request) {
  if (row.body.empty()) return std::optional<Json>();
  if (row.body.front().name.empty()) {
    ASSIGN_OR_RETURN(Json value, base::ParseJson(request.body));
    return std::optional(std::move(value));
  }
  const bool needed = std::ranges::any_of(row.body, &api::Field::must);
  if (request.body.empty() && !needed) return std::optional(Json::object());
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  return std::optional(std::move(body));
}

AgentMemory::Answer Ask(AgentMemory& memory, const MemoryCall& call, const api::Operation& row,
                        const http::Request& request) {
  const auto own = std::ranges::find(kOwn, row.name, &Own::name);
  if (own != std::end(kOwn)) return own->ask(memory, call, request);
  ASSIGN_OR_RETURN(std::optional<Json> body, BodyOf(row, request));
  return memory.Forward(
      call, {row.name, request.parameters, request.query, std::move(body), request.headers});
}

}  // namespace

std::vector<http::Route> MemoryRoutes::Routes() {
  std::vector<http::Route> routes;
  for (const api::Operation& row : api::Operations()) {
    if (row.Has(api::kHosted) || row.Has(api::kNotInSidecar)) continue;
    http::Route& route = routes.emplace_back(api::RouteOf(row));
    route.handler = [this, &row](const http::Request& request) { return Answer(row, request); };
    route.waits = true;
    if (row.Has(api::kStreams)) route.max_body_bytes = kMaxImportBytes;
  }
  routes.push_back(api::RouteOf(api::OperationNamed("get_health")));
  routes.back().handler = [](const http::Request&) {
    return http::JsonResponse(200, {{"status", "ok"}});
  };
  return routes;
}

http::Response MemoryRoutes::Answer(const api::Operation& row, const http::Request& request) {
  const auto policy = policies_.InForce();
  if (!policy) return http::ErrorResponse(policy.error());
  if (!std::ranges::all_of(row.needs, [&](auto on) { return (*policy)->policy.*on; })) {
    return http::ErrorResponse({Code::kDenied, "the policy of this agent does not allow " +
                                                   request.method + " " + request.path});
  }
  auto answer = Ask(memory_, CallOf(request, *policy), row, request);
  return answer ? std::move(*answer) : http::ErrorResponse(answer.error());
}

}  // namespace sidecar
