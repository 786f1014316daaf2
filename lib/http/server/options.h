// The options of a listener: limits, thread pools, and hooks around each request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/limits/byte_budget.h"
#include "lib/http/message/message.h"
#include "lib/http/server/tls_identity.h"

namespace http {

struct ServerOptions {
  std::string listen = "127.0.0.1:0";  // see ParseAddress; port 0: the system chooses
  std::string name = "api";            // for logs and metrics
  size_t workers = 8;                  // handler threads
  size_t queue = 128;                  // requests that may wait for a worker
  // Threads for routes with `waits`, with a queue of the same length, so that quick requests are
  // not delayed by writes that wait for their sync; 0: those routes use `workers`.
  size_t waiting_workers = 0;
  // Threads for requests that compute (Route::computes), at a lower priority, with half of `queue`,
  // of which one caller has a share. A request whose client left meanwhile is not handled. 0: those
  // requests use `workers`.
  size_t computing_workers = 0;
  // Set: TLS 1.2 or later, with the present identity; before its first Set connections are closed.
  std::shared_ptr<const TlsIdentity> tls;
  // Beyond the limit a connection of the peer with the most is closed, if it waits for its client
  // and the new connection's peer has fewer, so that no peer blocks the others; else 503.
  size_t max_connections = 512;
  // Limits the memory of all bodies with their copies and unsent answers, one per process. A body
  // is charged when its head is complete, before it is read: 413 if it can never fit, 503 if not
  // now. Null: a budget of kOwnBudget for this server.
  std::shared_ptr<base::ByteBudget> budget;
  int peer_percent = 100;       // of ByteBudget::largest, for the arriving large bodies of a peer
  size_t copies_of_bodies = 4;  // a body and its simultaneous copies in a handler
  size_t max_header_bytes = 16 << 10;
  size_t max_header_fields = 64;
  int64_t header_timeout_ms = 5'000;
  int64_t body_timeout_ms = 30'000;  // of a whole body; of a streamed one: per read
  int64_t idle_timeout_ms = 60'000;
  int64_t write_timeout_ms = 30'000;
  // Called for a request with a body when its head is complete and its route known, before the body
  // is charged and read: a Response ends the request, so that refused callers use no memory. On the
  // I/O thread: must not block.
  std::function<std::optional<Response>(const Request&)> at_head;
  // Called before the handler, on a worker: a Response ends the request (Host/Origin checks,
  // identity).
  std::function<std::optional<Response>(Request&)> before;
  // Adds header fields to an answer before it is sent, on a worker.
  std::function<void(const Request&, Response&)> finish;
  // Called after each answer, on a worker: route pattern (or ""), status, duration. For requests
  // that are refused before they reach a worker it runs on the I/O thread: must not block.
  std::function<void(const Request&, std::string_view pattern, int status, double seconds)> after;
  // Called for each request that the budget refuses, with 413 or 503, on any thread.
  std::function<void(int status)> over_budget;
};

inline constexpr size_t kOwnBudget = 256 << 20;

}  // namespace http
