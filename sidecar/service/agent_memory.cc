// Builds each request to the server from typed parts; no request is forwarded raw.
#include "sidecar/service/agent_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/json/stored.h"
#include "lib/base/process/random.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/telemetry/instrument.h"
#include "sidecar/redaction/redacted_names.h"
#include "sidecar/service/import_rows.h"
#include "sidecar/service/row_ownership.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

// Adds scope and scope_reason to a successful answer: the agent may expect a global memory.
http::Response WithScopeReason(http::Response answer) {
  base::Result<base::Json> body = base::ParseJson(answer.body);
  if (answer.status >= 300 || !body || !body->is_object()) return answer;
  (*body)["scope"] = "project";
  (*body)["scope_reason"] =
      "the Agent does not say allowGlobal: true, so it is kept for project only";
  answer.body = base::DumpJson(*body);
  return answer;
}

constexpr const char* kSaveTool = "mem_save";
constexpr int64_t kCallTimeoutMs = 10'000;
constexpr int64_t kWriteTimeoutMs = 3'000;  // then the write goes to the outbox
http::Response Passed(http::Response answer) {
  http::Response out;
  out.status = answer.status;
  out.body = std::move(answer.body);
  for (const char* name : {"Content-Type", "Retry-After", "X-Request-Id", "X-Partial",
                           "X-Next-Cursor", "X-Previous-Cursor", "ETag"}) {
    if (auto value = answer.headers.Get(name)) out.headers.Set(name, *value);
  }
  return out;
}

// The answer for an unknown session: an agent does not learn the ids of other projects.
Error NotThisProjects(const std::string& session) {
  return Error{Code::kNotFound,
               "there is no session \"" + session + "\" of this project; take another id"};
}

Error NoRow(int64_t id) {
  return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
}

// True without an answer, or when the answer does not concern the row: the outbox retries. A 500
// goes to the agent, since nothing was acknowledged.
bool IsForOutbox(const OutboxRow& row, const Result<http::Response>& answer) {
  if (!answer) return true;
  const DeliveryOutcome outcome = ClassifyResponse(row, *answer);
  using Kind = DeliveryOutcome::Kind;
  return outcome.kind == Kind::kThrottled ||
         (outcome.kind == Kind::kServerFault && !outcome.maybe_row);
}

}  // namespace

MemoryCall CallOf(const http::Request& request, std::shared_ptr<const ActivePolicy> policy) {
  MemoryCall call;
  call.policy = std::move(policy);
  call.traceparent = request.headers.Get("traceparent").value_or("");
  call.request_id = request.headers.Get("X-Request-Id").value_or("");
  call.idempotency_key = request.headers.Get("Idempotency-Key");
  if (telemetry::SpanOf(request)) call.recorded_traceparent = call.traceparent;
  return call;
}

AgentMemory::AgentMemory(State& state, MemoryServers& servers, const base::Clock& clock,
                         OutboxLimits limits, Delivery& delivery)
    : state_(state), servers_(servers), clock_(clock), limits_(limits), delivery_(delivery) {}

AgentMemory::Answer AgentMemory::Save(const MemoryCall& call, Json body) {
  const api::Policy& policy = call.policy->policy;
  RedactWrite(call.policy->redactor, body);
  ASSIGN_OR_RETURN(const auto given, base::OptionalString(body, "session_id"));
  ASSIGN_OR_RETURN(const std::string session, SessionFor(call, given.value_or("")));
  body["session_id"] = session;
  body["project"] = policy.project;
  // The sidecar sets tool and rule of a memory, since prompts show them.
  Json source = {{"origin", api::kOriginAgent}};
  if (const Json* id = base::At(body, {"source", "tool_call_id"})) source["tool_call_id"] = *id;
  if (base::StringAt(body, {"source", "tool"}) == kSaveTool) source["tool"] = kSaveTool;
  body["source"] = std::move(source);
  body["replace_user"] = policy.allow_admin;
  // Checked here, so that no invalid write gets into the outbox.
  ASSIGN_OR_RETURN(const auto observation, api::DecodeNewObservation(body));
  const bool narrowed = observation.scope == "global" && !policy.allow_global;
  if (narrowed) body["scope"] = "project";
  OutboxRow row;
  row.lane = session;
  row.kind = "observation";
  row.path = "/observations";
  row.body = base::DumpJson(body);
  row.origin = api::kOriginAgent;
  ASSIGN_OR_RETURN(http::Response answer, SendOrQueue(call, std::move(row)));
  return narrowed ? WithScopeReason(std::move(answer)) : std::move(answer);
}

AgentMemory::Answer AgentMemory::BeginSession(const MemoryCall& call, Json body) {
  RedactWrite(call.policy->redactor, body);
  ASSIGN_OR_RETURN(const std::string id, api::RequiredText(body, "id", api::kMaxSessionId));
  body["project"] = call.policy->policy.project;
  OutboxRow row;
  row.lane = id;
  row.kind = "session";
  row.path = "/sessions";
  row.body = base::DumpJson(body);
  return SendOrQueue(call, std::move(row));
}

AgentMemory::Answer AgentMemory::EndSession(const MemoryCall& call, const std::string& session,
                                            Json body) {
  ASSIGN_OR_RETURN(const std::string id, SessionFor(call, session));
  RedactWrite(call.policy->redactor, body);
  OutboxRow row;
  row.lane = id;
  row.kind = "session_end";
  // The server checks the project when the write arrives: 404 for another project's session.
  row.path = "/sessions/" + http::PercentEncode(id) +
             "/end?project=" + http::PercentEncode(call.policy->policy.project);
  row.body = base::DumpJson(body);
  return SendOrQueue(call, std::move(row));
}

AgentMemory::Answer AgentMemory::Forward(const MemoryCall& call, Forwarded request) {
  std::string conversation;
  if (const auto given = ConversationIn(request)) {
    ASSIGN_OR_RETURN(conversation, ConversationOf(call, *given));
  }
  return Send(call, Outgoing(std::move(request), *call.policy, conversation));
}

AgentMemory::Answer AgentMemory::Get(const MemoryCall& call, int64_t id,
                                     const std::optional<std::string>& revision) {
  Forwarded request = {"get_observation", {{"id", std::to_string(id)}}};
  if (revision) request.query = {{"revision", *revision}};
  ASSIGN_OR_RETURN(auto answer, Forward(call, std::move(request)));
  if (answer.status != 200) return answer;
  ASSIGN_OR_RETURN(const Json row, base::ParseStored(answer.body, Json()));
  if (!MayRead(row, call.policy->policy)) return NoRow(id);
  return answer;
}

AgentMemory::Answer AgentMemory::Revisions(const MemoryCall& call, int64_t id,
                                           const Parameters& query) {
  const auto revision = std::ranges::find(query, "revision", &Parameters::value_type::first);
  ASSIGN_OR_RETURN(
      auto row,
      Get(call, id, revision == query.end() ? std::nullopt : std::optional(revision->second)));
  if (row.status != 200) return row;
  return Forward(call, {"list_revisions", {{"id", std::to_string(id)}}, query});
}

AgentMemory::Answer AgentMemory::Timeline(const MemoryCall& call, int64_t id,
                                          const Parameters& query) {
  ASSIGN_OR_RETURN(auto row, OwnRow(call, id));
  if (row.status != 200) return row;
  return Forward(call, {"get_timeline", {}, query});
}

AgentMemory::Answer AgentMemory::Update(const MemoryCall& call, int64_t id, const Json& given) {
  ASSIGN_OR_RETURN(auto row, RowForChange(call, id, "change"));
  if (row.status != 200) return row;
  Json patch = Json::object();
  for (const char* field : {"type", "title", "content", "tags"}) {
    if (given.contains(field)) patch[field] = given[field];
  }
  return Forward(call, {"change_observation", {{"id", std::to_string(id)}}, {}, std::move(patch)});
}

AgentMemory::Answer AgentMemory::Delete(const MemoryCall& call, int64_t id, bool hard) {
  if (hard && !call.policy->policy.allow_admin) {
    return Error{Code::kDenied, "the policy of this agent does not allow hard=true"};
  }
  ASSIGN_OR_RETURN(auto row, RowForChange(call, id, "delete"));
  if (row.status != 200) return row;
  Forwarded request = {"delete_observation", {{"id", std::to_string(id)}}};
  if (hard) request.query = {{"hard", "true"}};
  return Forward(call, std::move(request));
}

// `given`, redacted, else the newest open conversation; empty: none.
Result<std::string> AgentMemory::ConversationOf(const MemoryCall& call, const std::string& given) {
  std::string id = RedactId(call.policy->redactor, given);
  if (!id.empty()) return id;
  ASSIGN_OR_RETURN(const auto found, state_.Read([](sqlite::Database& db) {
    return conversation::SqliteRows(db).LastUsed("open", "");
  }));
  return found ? found->id : "";
}

AgentMemory::Answer AgentMemory::Import(const MemoryCall& call, Json document) {
  RETURN_IF_ERROR(HoldImport(*call.policy, document));
  http::ClientRequest out;
  out.method = "POST";
  out.target = "/import";
  out.body = base::DumpJson(document);
  return Send(call, std::move(out));
}

AgentMemory::Answer AgentMemory::OwnRow(const MemoryCall& call, int64_t id) {
  ASSIGN_OR_RETURN(auto answer, Forward(call, {"get_observation", {{"id", std::to_string(id)}}}));
  // A softly deleted row is invisible, so its project is unknown.
  if (answer.status != 200) return answer;
  ASSIGN_OR_RETURN(const Json row, base::ParseStored(answer.body, Json()));
  if (!IsOwn(row, call.policy->policy)) return NoRow(id);
  return answer;
}

AgentMemory::Answer AgentMemory::RowForChange(const MemoryCall& call, int64_t id,
                                              const char* verb) {
  ASSIGN_OR_RETURN(auto answer, OwnRow(call, id));
  if (answer.status != 200) return answer;
  ASSIGN_OR_RETURN(const Json row, base::ParseStored(answer.body, Json()));
  RETURN_IF_ERROR(MayChange(row, call.policy->policy, id, verb));
  return answer;
}

Result<std::string> AgentMemory::SessionFor(const MemoryCall& call, const std::string& id) {
  ASSIGN_OR_RETURN(const auto found, state_.Read([&](sqlite::Database& db) {
    return id.empty() ? conversation::SqliteRows(db).LastUsed("open", "")
                      : conversation::SqliteRows(db).FindConversation(id);
  }));
  if (found && !found->memory_session_id.empty()) return found->memory_session_id;
  return id.empty() ? AgentSession(call.policy->policy) : id;
}

AgentMemory::Answer AgentMemory::SendOrQueue(const MemoryCall& call, OutboxRow row) {
  const api::Policy& policy = call.policy->policy;
  // The key includes the Agent, since two agents may both count from 1, and session and policy,
  // since they change the sent body, and the server refuses a key with another body.
  const auto& key = call.idempotency_key;
  row.idempotency_key =
      "agent-" +
      (key ? base::Sha256Hex(base::DumpJson({policy.agent, row.lane, call.policy->digest, *key}))
           : base::RandomUuid());
  row.project = policy.project;
  row.destination = policy.server_url;
  row.created_ms = clock_.NowMs();
  row.traceparent = call.recorded_traceparent;
  http::ClientRequest out;
  out.method = row.method;
  out.target = row.path;
  out.body = row.body;
  out.timeout_ms = kWriteTimeoutMs;
  out.headers.Set("Idempotency-Key", row.idempotency_key);
  // Sent before pending writes of the lane, this write would be overwritten by older text.
  ASSIGN_OR_RETURN(const bool is_next, delivery_.AwaitLane(row.lane, limits_.lane_wait_ms));
  if (is_next && !delivery_.suspended()) {
    auto answer = Send(call, std::move(out));
    if (answer && answer->status == 409) return NotThisProjects(row.lane);
    if (!IsForOutbox(row, answer)) return answer;
  }
  RETURN_IF_ERROR(state_.Change([&](sqlite::Database& db) { return Enqueue(db, row, limits_); }));
  delivery_.Wake();
  return http::JsonResponse(202, {{"queued", true}});
}

// Drops the agent's Idempotency-Key: the server keeps keys for POST /observations only, and the
// HTTP client retries every request with a key.
AgentMemory::Answer AgentMemory::Send(const MemoryCall& call, http::ClientRequest out) {
  if (!call.traceparent.empty()) out.headers.Set("traceparent", call.traceparent);
  if (!call.request_id.empty()) out.headers.Set("X-Request-Id", call.request_id);
  if (!out.body.empty()) out.headers.Set("Content-Type", "application/json");
  const api::Policy& policy = call.policy->policy;
  out.headers.Set(api::kAgentHeader, policy.agent);
  if (!policy.user.empty()) out.headers.Set(api::kUserHeader, policy.user);
  out.timeout_ms = std::min(out.timeout_ms, kCallTimeoutMs);
  ASSIGN_OR_RETURN(auto answer, servers_.Send(policy.server_url, std::move(out)));
  return Passed(std::move(answer));
}

Result<Json> ReadAnswer(const AgentMemory::Answer& answer) {
  if (!answer) return answer.error();
  auto body = answer->body.empty() ? Result<Json>(Json()) : base::ParseJson(answer->body);
  if (answer->status >= 200 && answer->status < 300) return body;
  std::string why = body && body->is_object() ? base::StringAt(*body, {"error"}) : "";
  if (why.empty()) why = "the memory server answered " + std::to_string(answer->status);
  return Error{http::CodeOf(answer->status), std::move(why)};
}

}  // namespace sidecar
