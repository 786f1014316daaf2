// /mcp: the MCP server over Streamable HTTP, for the revisions of revision.h. One message a
// POST, one answer; the server sends no notifications, so no stream stays open and GET is 405.
// lib/http/server/cross_origin_guard.h checks Host and Origin before.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "lib/http/message/router.h"
#include "sidecar/mcp/message.h"
#include "sidecar/mcp/sessions.h"
#include "sidecar/mcp/tools.h"
#include "sidecar/policy/policy_watch.h"

namespace sidecar {

class McpEndpoint {
 public:
  // All outlive it. `calls`: the limit of concurrent tool calls, which leaves workers for other
  // routes.
  McpEndpoint(const PolicyWatch& policies, AgentMemory& memory, const WorkingMemory& conversations,
              const base::Clock& clock, size_t calls);
  std::vector<http::Route> Routes();  // their handlers refer to this object

 private:
  // The answer to a request: a result, or an error of JSON-RPC.
  struct Outcome {
    base::Json result;
    std::optional<RpcError> error;
    bool busy = false;
  };
  http::Response Post(const http::Request& request);
  http::Response End(const http::Request& request);
  http::Response Batch(const http::Request& request);
  http::Response InSessionOf(const http::Request& request);  // a message of a batch
  http::Response Stateless(const http::Request& request, const McpMessage& message);
  http::Response InSession(const http::Request& request, const McpMessage& message);
  http::Response Begin(const http::Request& request, const McpMessage& message);

  Outcome List() const;
  Outcome Call(const http::Request& request, const McpMessage& message);
  std::string Instructions() const;

  const PolicyWatch& policies_;
  AgentMemory& memory_;
  const WorkingMemory& conversations_;
  McpSessions sessions_;
  const size_t calls_;
  std::atomic<size_t> running_{0};
};

}  // namespace sidecar
