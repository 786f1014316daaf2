// The table of allowed routes and what each of them may ask the server.
#include "sidecar/memory_routes.h"

#include <algorithm>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/process/random.h"
#include "lib/base/text/digest.h"
#include "lib/conversation/conversations.h"
#include "lib/telemetry/instrument.h"
#include "sidecar/import_rows.h"
#include "sidecar/narrowed_scope.h"
#include "sidecar/redacted_names.h"
#include "sidecar/sessions.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr const char* kSaveTool = "mem_save";
constexpr int64_t kCallTimeoutMs = 10'000;
constexpr int64_t kWriteTimeoutMs = 3'000;  // then the outbox takes the write over
constexpr size_t kMaxImportBytes = 32 << 20;
constexpr const char* kQueryParameters[] = {
    "q",     "query",  "type",           "scope",  "limit", "sessions", "syntax",
    "as_of", "format", "observation_id", "before", "after", "revision", "cursor"};
// No Idempotency-Key: the server keeps them for POST /observations alone, and our client would send
// anything else that has one twice.
constexpr const char* kPassedHeaders[] = {"traceparent", "X-Request-Id"};

// The allowed parameters, encoded again, and the project of the policy.
std::string ForcedQuery(const http::Request& request, const api::Policy& policy) {
  std::string query = "?project=" + http::PercentEncode(policy.project);
  for (const auto& [name, value] : request.query) {
    const bool allowed = std::any_of(std::begin(kQueryParameters), std::end(kQueryParameters),
                                     [&](const char* known) { return name == known; });
    if (allowed) query += "&" + name + "=" + http::PercentEncode(value);
  }
  return query;
}

Result<std::string> NumberParameter(const http::Request& request, const char* name) {
  const auto found = request.parameters.find(name);
  std::string text = found != request.parameters.end() ? found->second : "";
  if (text.empty()) text = request.Query(name).value_or("");
  const bool digits = !text.empty() && text.size() <= 16 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return Error{Code::kInvalid, std::string(name) + " must be a whole number"};
  return text;
}

Result<Json> ObjectBody(const http::Request& request) {
  ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
  if (!body.is_object()) return Error{Code::kInvalid, "the body must be a JSON object"};
  return body;
}

bool IsTrue(const std::optional<std::string>& value) {
  return value && *value != "false" && *value != "0" && !value->empty();
}

http::Response Passed(http::Response answer) {
  http::Response out;
  out.status = answer.status;
  out.body = std::move(answer.body);
  for (const char* name : {"Content-Type", "Retry-After", "X-Request-Id", "X-Partial",
                           "X-Next-Cursor", "X-Previous-Cursor"}) {
    if (auto value = answer.headers.Get(name)) out.headers.Set(name, *value);
  }
  return out;
}

// As of one that is not there: an agent is not told which ids other projects use.
Error NotThisProjects(const std::string& session) {
  return Error{Code::kNotFound,
               "there is no session \"" + session + "\" of this project; take another id"};
}

// No answer, or one that says nothing about the row: the outbox tries again. A 500 goes to the
// agent, which was promised nothing.
bool IsForOutbox(const OutboxRow& row, const Result<http::Response>& answer) {
  if (!answer) return true;
  const DeliveryOutcome outcome = ClassifyResponse(row, *answer);
  using Kind = DeliveryOutcome::Kind;
  return outcome.kind == Kind::kThrottled ||
         (outcome.kind == Kind::kServerFault && !outcome.maybe_row);
}

}  // namespace

MemoryRoutes::MemoryRoutes(State& state, const PolicyWatch& policies, MemoryServers& servers,
                           const base::Clock& clock, OutboxLimits limits, Delivery& delivery)
    : state_(state),
      policies_(policies),
      servers_(servers),
      clock_(clock),
      limits_(limits),
      delivery_(delivery) {}

std::vector<http::Route> MemoryRoutes::Routes() {
  using P = api::Policy;
  std::vector<http::Route> routes = {
      {"POST", "/sessions", Bind(&MemoryRoutes::PostSession)},
      {"POST", "/sessions/{id}/end", Bind(&MemoryRoutes::EndSession), kMaxImportBytes},
      {"GET", "/sessions/recent", Bind(&MemoryRoutes::Query, {&P::auto_search})},
      {"POST", "/observations", Bind(&MemoryRoutes::PostObservation, {&P::auto_save})},
      {"GET", "/observations/recent", Bind(&MemoryRoutes::Query, {&P::auto_search})},
      {"GET", "/observations/{id}", Bind(&MemoryRoutes::GetObservation)},
      {"GET", "/observations/{id}/revisions", Bind(&MemoryRoutes::GetRevisions)},
      {"PATCH", "/observations/{id}", Bind(&MemoryRoutes::PatchObservation, {&P::auto_save})},
      {"DELETE", "/observations/{id}", Bind(&MemoryRoutes::DeleteObservation, {&P::auto_save})},
      {"GET", "/search", Bind(&MemoryRoutes::Query, {&P::auto_search})},
      {"GET", "/context", Bind(&MemoryRoutes::Query, {&P::auto_search})},
      {"GET", "/timeline", Bind(&MemoryRoutes::Timeline, {&P::auto_search})},
      {"GET", "/stats", Bind(&MemoryRoutes::Query)},
      {"GET", "/export", Bind(&MemoryRoutes::Query, {&P::allow_admin, &P::auto_search})},
      {"POST", "/import", Bind(&MemoryRoutes::Import, {&P::allow_admin, &P::auto_save}),
       kMaxImportBytes},
      {"POST", "/forget", Bind(&MemoryRoutes::Forget, {&P::allow_admin})},
  };
  for (http::Route& route : routes) route.waits = true;
  routes.push_back({"GET", "/health", [](const http::Request&) {
                      return http::JsonResponse(200, {{"status", "ok"}});
                    }});
  return routes;
}

// `needed`: switches of the policy that must be on.
http::Handler MemoryRoutes::Bind(Method method, std::vector<bool api::Policy::*> needed) {
  return [this, method, needed = std::move(needed)](const http::Request& request) {
    const Policy policy = policies_.Current();
    if (!policy) return http::ErrorResponse({Code::kUnavailable, "no policy is in force yet"});
    if (!std::ranges::all_of(needed, [&](auto on) { return policy->policy.*on; })) {
      return http::ErrorResponse({Code::kDenied, "the policy of this agent does not allow " +
                                                     request.method + " " + request.path});
    }
    auto answer = (this->*method)(request, policy);
    return answer ? std::move(*answer) : http::ErrorResponse(answer.error());
  };
}

MemoryRoutes::Answer MemoryRoutes::PostSession(const http::Request& request, const Policy& policy) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  RedactWrite(policy->redactor, body);
  ASSIGN_OR_RETURN(const std::string id, api::RequiredText(body, "id", api::kMaxSessionId));
  body["project"] = policy->policy.project;
  OutboxRow row;
  row.lane = id;
  row.kind = "session";
  row.path = "/sessions";
  row.body = base::DumpJson(body);
  return SendOrQueue(request, *policy, std::move(row));
}

MemoryRoutes::Answer MemoryRoutes::EndSession(const http::Request& request, const Policy& policy) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  ASSIGN_OR_RETURN(const std::string id, SessionFor(request.parameters.at("id"), policy->policy));
  RedactWrite(policy->redactor, body);
  OutboxRow row;
  row.lane = id;
  row.kind = "session_end";
  // The server checks whose it is, whenever this arrives: 404 for another project's.
  row.path = "/sessions/" + http::PercentEncode(id) +
             "/end?project=" + http::PercentEncode(policy->policy.project);
  row.body = base::DumpJson(body);
  return SendOrQueue(request, *policy, std::move(row));
}

MemoryRoutes::Answer MemoryRoutes::PostObservation(const http::Request& request,
                                                   const Policy& policy) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  RedactWrite(policy->redactor, body);
  ASSIGN_OR_RETURN(const auto given, base::OptionalString(body, "session_id"));
  ASSIGN_OR_RETURN(const std::string session, SessionFor(given.value_or(""), policy->policy));
  body["session_id"] = session;
  body["project"] = policy->policy.project;
  // Which tool or rule a memory is from is the sidecar's to say: prompts show it.
  Json source = {{"origin", api::kOriginAgent}};
  if (const Json* call = base::At(body, {"source", "tool_call_id"})) source["tool_call_id"] = *call;
  if (base::StringAt(body, {"source", "tool"}) == kSaveTool) source["tool"] = kSaveTool;
  body["source"] = std::move(source);
  body["replace_user"] = policy->policy.allow_admin;
  // Checked here, so that what the server would refuse is never put off into the outbox.
  ASSIGN_OR_RETURN(const auto observation, api::DecodeNewObservation(body));
  const bool narrowed = observation.scope == "global" && !policy->policy.allow_global;
  if (narrowed) body["scope"] = "project";
  OutboxRow row;
  row.lane = session;
  row.kind = "observation";
  row.path = "/observations";
  row.body = base::DumpJson(body);
  row.origin = api::kOriginAgent;
  ASSIGN_OR_RETURN(http::Response answer, SendOrQueue(request, *policy, std::move(row)));
  return narrowed ? WithScopeReason(std::move(answer)) : std::move(answer);
}

MemoryRoutes::Answer MemoryRoutes::GetObservation(const http::Request& request,
                                                  const Policy& policy) {
  ASSIGN_OR_RETURN(const std::string id, NumberParameter(request, "id"));
  return OwnRow(request, policy->policy, id, true);
}

MemoryRoutes::Answer MemoryRoutes::GetRevisions(const http::Request& request,
                                                const Policy& policy) {
  ASSIGN_OR_RETURN(const std::string id, NumberParameter(request, "id"));
  ASSIGN_OR_RETURN(auto row, OwnRow(request, policy->policy, id, true));
  if (row.status != 200) return row;
  http::ClientRequest out;
  out.target = "/observations/" + id + "/revisions" + ForcedQuery(request, policy->policy);
  return Forward(request, policy->policy, std::move(out));
}

MemoryRoutes::Answer MemoryRoutes::PatchObservation(const http::Request& request,
                                                    const Policy& policy) {
  ASSIGN_OR_RETURN(const std::string id, NumberParameter(request, "id"));
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  ASSIGN_OR_RETURN(auto refused, RefuseChange(request, policy->policy, id, "change"));
  if (refused) return std::move(*refused);
  Json patch = {{"source", {{"origin", api::kOriginAgent}}}};
  if (policy->policy.allow_admin) patch["replace_user"] = true;
  for (const char* field : {"type", "title", "content", "tags"}) {
    if (body.contains(field)) patch[field] = body[field];
  }
  RedactWrite(policy->redactor, patch);
  http::ClientRequest out;
  out.method = "PATCH";
  out.target = "/observations/" + id;
  out.body = base::DumpJson(patch);
  return Forward(request, policy->policy, std::move(out));
}

MemoryRoutes::Answer MemoryRoutes::DeleteObservation(const http::Request& request,
                                                     const Policy& policy) {
  ASSIGN_OR_RETURN(const std::string id, NumberParameter(request, "id"));
  const bool hard = IsTrue(request.Query("hard"));
  if (hard && !policy->policy.allow_admin) {
    return Error{Code::kDenied, "the policy of this agent does not allow hard=true"};
  }
  ASSIGN_OR_RETURN(auto refused, RefuseChange(request, policy->policy, id, "delete"));
  if (refused) return std::move(*refused);
  http::ClientRequest out;
  out.method = "DELETE";
  out.target = "/observations/" + id + (hard ? "?hard=true" : "");
  return Forward(request, policy->policy, std::move(out));
}

MemoryRoutes::Answer MemoryRoutes::Timeline(const http::Request& request, const Policy& policy) {
  ASSIGN_OR_RETURN(const std::string id, NumberParameter(request, "observation_id"));
  ASSIGN_OR_RETURN(auto row, OwnRow(request, policy->policy, id, false));
  if (row.status != 200) return row;
  return Query(request, policy);
}

MemoryRoutes::Answer MemoryRoutes::Query(const http::Request& request, const Policy& policy) {
  http::ClientRequest out;
  out.target = request.path + ForcedQuery(request, policy->policy);
  return Forward(request, policy->policy, std::move(out));
}

// The project of each row is set here, so the whole of it is read as JSON; the server, which can
// stream, takes the other forms too.
MemoryRoutes::Answer MemoryRoutes::Import(const http::Request& request, const Policy& policy) {
  if (request.Query("trust")) {
    return Error{Code::kDenied,
                 "what an agent imports is not a user's: leave trust out, or send the file to the "
                 "memory server itself: POST " +
                     policy->policy.server_url + "/import"};
  }
  Result<Json> parsed = base::ParseJson(request.body);
  if (!parsed || !parsed->is_object()) {
    return Error{Code::kInvalid,
                 "the sidecar imports one JSON document of at most " +
                     std::to_string(kMaxImportBytes >> 20) +
                     " MiB (\"format\": \"agent-memory/1\"); send JSON lines, a SQLite file or a "
                     "larger export to the memory server itself: POST " +
                     policy->policy.server_url + "/import"};
  }
  Json body = std::move(*parsed);
  RETURN_IF_ERROR(HoldImport(*policy, body));
  http::ClientRequest out;
  out.method = "POST";
  out.target = "/import";
  out.body = base::DumpJson(body);
  return Forward(request, policy->policy, std::move(out));
}

MemoryRoutes::Answer MemoryRoutes::Forget(const http::Request& request, const Policy& policy) {
  ASSIGN_OR_RETURN(Json body, ObjectBody(request));
  body["project"] = policy->policy.project;
  http::ClientRequest out;
  out.method = "POST";
  out.target = "/forget";
  out.body = base::DumpJson(body);
  return Forward(request, policy->policy, std::move(out));
}

MemoryRoutes::Answer MemoryRoutes::SendOrQueue(const http::Request& request,
                                               const ActivePolicy& policy, OutboxRow row) {
  // A key is the agent's own: two agents that count from 1 must not meet. Session and policy change
  // what becomes of the same body, which the server would take for another one's.
  const auto key = request.headers.Get("Idempotency-Key");
  row.idempotency_key =
      "agent-" +
      (key ? base::Sha256Hex(base::DumpJson({policy.policy.agent, row.lane, policy.digest, *key}))
           : base::RandomUuid());
  row.project = policy.policy.project;
  row.destination = policy.policy.server_url;
  row.created_ms = clock_.NowMs();
  if (telemetry::SpanOf(request)) row.cause = request.headers.Get("traceparent").value_or("");
  http::ClientRequest out;
  out.method = row.method;
  out.target = row.path;
  out.body = row.body;
  out.timeout_ms = kWriteTimeoutMs;
  out.headers.Set("Idempotency-Key", row.idempotency_key);
  // Ahead of those that wait it would leave the older text as the newest.
  ASSIGN_OR_RETURN(const bool is_next, delivery_.AwaitLane(row.lane, limits_.lane_wait_ms));
  if (is_next && !delivery_.suspended()) {
    auto answer = Forward(request, policy.policy, std::move(out));
    if (answer && answer->status == 409) return NotThisProjects(row.lane);
    if (!IsForOutbox(row, answer)) return answer;
  }
  RETURN_IF_ERROR(state_.Change([&](sqlite::Database& db) { return Enqueue(db, row, limits_); }));
  delivery_.Wake();
  return http::JsonResponse(202, {{"queued", true}});
}

MemoryRoutes::Answer MemoryRoutes::Forward(const http::Request& request, const api::Policy& policy,
                                           http::ClientRequest out) {
  for (const char* name : kPassedHeaders) {
    const auto value = request.headers.Get(name);
    if (value && !out.headers.Get(name)) out.headers.Set(name, *value);
  }
  if (!out.body.empty()) out.headers.Set("Content-Type", "application/json");
  if (out.timeout_ms > kCallTimeoutMs) out.timeout_ms = kCallTimeoutMs;
  ASSIGN_OR_RETURN(auto answer, servers_.Send(policy.server_url, std::move(out)));
  return Passed(std::move(answer));
}

}  // namespace sidecar
