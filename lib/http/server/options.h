// How a listener is set up: its limits, its pools and what it calls around each request.
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
  std::string listen =
      "127.0.0.1:0";         // address:port, [v6]:port or :port; port 0: the system chooses
  std::string name = "api";  // for logs and metrics
  size_t workers = 8;        // handler threads
  size_t queue = 128;        // requests that may wait for one
  // Threads for routes that wait, with a queue as long; 0: they share the others. So a request that
  // is quick to answer never stands behind writes that wait for their sync.
  size_t waiting_workers = 0;
  // Set: TLS from 1.2 on, with what this is at the time; connections before its first are closed.
  std::shared_ptr<const TlsIdentity> tls;
  // Beyond: a peer that has as many as any other gets 503; for another one a connection of the peer
  // with the most that waits for its client is closed, so that no peer keeps the others out.
  size_t max_connections = 512;
  // One a process: what bodies with their copies, and answers not yet sent, may hold together. A
  // body is charged when its head is complete, before any of it is read: 413 where it never fits,
  // else 503. Null: a budget of its own, of kOwnBudget.
  std::shared_ptr<base::ByteBudget> budget;
  int peer_percent = 100;       // of the budget: of one peer's large bodies while they arrive
  size_t copies_of_bodies = 4;  // a body, and what handlers make of it at once
  size_t max_header_bytes = 16 << 10;
  size_t max_header_fields = 64;
  int64_t header_timeout_ms = 5'000;
  int64_t body_timeout_ms = 30'000;  // for a body that is read whole; a stream: per read
  int64_t idle_timeout_ms = 60'000;
  int64_t write_timeout_ms = 30'000;
  // Called when the head of a request with a body is complete and its route is known, before any of
  // the body is read: a Response ends the request, so that who is refused makes nothing be held. On
  // the I/O thread: must not block.
  std::function<std::optional<Response>(const Request&)> at_head;
  // Called before the handler, on a worker: a Response ends the request (Host/Origin checks,
  // identity).
  std::function<std::optional<Response>(Request&)> before;
  // Called after each answer, on a worker: route pattern ("" when none), status, time taken. What
  // is refused before a worker has it is reported on the I/O thread, so this must not block.
  std::function<void(const Request&, std::string_view pattern, int status, double seconds)> after;
  // Called for each request that the budget refuses, on any thread: 413 or 503.
  std::function<void(int status)> over_budget;
};

inline constexpr size_t kOwnBudget = 256 << 20;

}  // namespace http
