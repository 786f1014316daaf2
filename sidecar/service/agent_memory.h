// The agent's memory on the server, for REST (memory_routes) and MCP (tool_calls) alike. Every call
// stays inside the policy: project, trust and redaction. Callers check the policy's switches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/http/message/message.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/service/forwarded.h"
#include "sidecar/state/state.h"
#include "sidecar/upstream/delivery.h"
#include "sidecar/upstream/memory_servers.h"

namespace sidecar {

// The policy of a call, and values of the agent's request; empty: the request has none.
struct MemoryCall {
  std::shared_ptr<const ActivePolicy> policy;
  std::string traceparent, request_id;
  std::optional<std::string> idempotency_key;  // the agent's own
  std::string recorded_traceparent;            // for the outbox; empty unless a span is recorded
};
MemoryCall CallOf(const http::Request& request, std::shared_ptr<const ActivePolicy> policy);

// Any thread. A call blocks until the server answers, at most 10 s; a write at most 3 s, then it is
// in the outbox.
class AgentMemory {
 public:
  // The server's answer of any status, with the headers that an agent may see. An Error: the policy
  // refuses the call, or the server did not answer.
  using Answer = base::Result<http::Response>;
  // Decoded query parameters. Parameters that an agent may not give are ignored.
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  // All arguments outlive it.
  AgentMemory(State& state, MemoryServers& servers, const base::Clock& clock, OutboxLimits limits,
              Delivery& delivery);

  // Writes, with the bodies of POST /observations, /sessions and /sessions/{id}/end. 202 with
  // {"queued": true}: the write is on the disk, since the server is unavailable, refuses writes, or
  // has earlier writes of the session pending. `session`: the id of a conversation or of a session.
  Answer Save(const MemoryCall& call, base::Json observation);
  Answer BeginSession(const MemoryCall& call, base::Json body);
  Answer EndSession(const MemoryCall& call, const std::string& session, base::Json body);

  // A route that is forwarded, inside the policy. Writes bypass the outbox. kUnavailable: the
  // server does not answer.
  Answer Forward(const MemoryCall& call, Forwarded request);

  // One row of the project, or a global one. kNotFound: a row of another project.
  Answer Get(const MemoryCall& call, int64_t id, const std::optional<std::string>& revision);
  Answer Revisions(const MemoryCall& call, int64_t id, const Parameters& query);
  // The rows around a row of the project.
  Answer Timeline(const MemoryCall& call, int64_t id, const Parameters& query);
  // Changes type, title, content and tags only. kDenied: a user wrote the row.
  Answer Update(const MemoryCall& call, int64_t id, const base::Json& patch);
  Answer Delete(const MemoryCall& call, int64_t id, bool hard);

  // For the administrator of a project (memory.allowAdmin).
  Answer Import(const MemoryCall& call, base::Json document);

 private:
  Answer SendOrQueue(const MemoryCall& call, OutboxRow row);
  // Adds the policy's user and Agent as headers, which the agent cannot choose.
  Answer Send(const MemoryCall& call, http::ClientRequest request);
  // 200: a row of the project. Another status or an Error is the answer of the whole call.
  Answer OwnRow(const MemoryCall& call, int64_t id);
  // A row that the agent may `verb`.
  Answer RowForChange(const MemoryCall& call, int64_t id, const char* verb);
  base::Result<std::string> ConversationOf(const MemoryCall& call, const std::string& given);
  // The memory session of the conversation with this id, or the id itself.
  base::Result<std::string> SessionFor(const MemoryCall& call, const std::string& id);

  State& state_;
  MemoryServers& servers_;
  const base::Clock& clock_;
  const OutboxLimits limits_;
  Delivery& delivery_;
};

// The JSON of a 2xx, null without a body. Any other answer is an Error with the server's message.
base::Result<base::Json> ReadAnswer(const AgentMemory::Answer& answer);

}  // namespace sidecar
