// What an agent may do with its memory on the server, by REST (memory_routes) and by MCP
// (mcp_tool_calls) alike. Every call stays inside the policy: its project, its trust, its secrets.
// Whether a switch of the policy allows the call at all is the caller's check.
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
#include "sidecar/state/state.h"
#include "sidecar/upstream/delivery.h"
#include "sidecar/upstream/memory_servers.h"

namespace sidecar {

// The policy of a call, and what it passes on of the request that it comes by; empty: nothing.
struct MemoryCall {
  std::shared_ptr<const ActivePolicy> policy;
  std::string traceparent, request_id;
  std::optional<std::string> idempotency_key;  // the agent's own
  std::string cause;                           // traceparent of a recorded span, for the outbox
};
MemoryCall CallOf(const http::Request& request, std::shared_ptr<const ActivePolicy> policy);

// Any thread. A call blocks until the server answers, 10 s at most; a write 3 s, then the outbox
// has it.
class AgentMemory {
 public:
  // The server's answer, whatever its status, with the few headers that an agent may see. An Error
  // says what the policy refuses, or that the server did not answer.
  using Answer = base::Result<http::Response>;
  // Parameters of a query, decoded. Those that an agent may not give are left out.
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  // All outlive it.
  AgentMemory(State& state, MemoryServers& servers, const base::Clock& clock, OutboxLimits limits,
              Delivery& delivery);

  // Writes, with the bodies of POST /observations, /sessions and /sessions/{id}/end. 202 with
  // {"queued": true}: the write is on the disk, for the server is away, takes no writes, or earlier
  // writes of the session wait for it. `session`: the id of a conversation or of a session.
  Answer Save(const MemoryCall& call, base::Json observation);
  Answer BeginSession(const MemoryCall& call, base::Json body);
  Answer EndSession(const MemoryCall& call, const std::string& session, base::Json body);

  // GET of a list, such as /search or /context, with the project of the policy.
  Answer List(const MemoryCall& call, const std::string& path, const Parameters& query);
  // One row, of the project or global. kNotFound: it is another project's.
  Answer Get(const MemoryCall& call, int64_t id, const std::optional<std::string>& revision);
  Answer Revisions(const MemoryCall& call, int64_t id, const Parameters& query);
  // Of the project alone.
  Answer Timeline(const MemoryCall& call, int64_t id, const Parameters& query);
  // Of `patch` type, title, content and tags are taken. kDenied: a user wrote the row.
  Answer Update(const MemoryCall& call, int64_t id, const base::Json& patch);
  Answer Delete(const MemoryCall& call, int64_t id, bool hard);

  // For the administrator of a project.
  Answer Import(const MemoryCall& call, base::Json document);
  Answer Forget(const MemoryCall& call, base::Json body);

 private:
  Answer SendOrQueue(const MemoryCall& call, OutboxRow row);
  Answer Send(const MemoryCall& call, http::ClientRequest request);
  Answer Send(const MemoryCall& call, const char* method, std::string target, base::Json body);
  // 200: the row is the project's; another status or an Error is what to answer.
  Answer OwnRow(const MemoryCall& call, int64_t id);
  // The same, and the agent may `verb` it.
  Answer RowForChange(const MemoryCall& call, int64_t id, const char* verb);
  // The memory session of the conversation with this id, or the id itself.
  base::Result<std::string> SessionFor(const MemoryCall& call, const std::string& id);

  State& state_;
  MemoryServers& servers_;
  const base::Clock& clock_;
  const OutboxLimits limits_;
  Delivery& delivery_;
};

// The JSON of a 2xx, null when that has no body. Any other answer is an Error with its message.
base::Result<base::Json> ReadAnswer(const AgentMemory::Answer& answer);

}  // namespace sidecar
