// One request on a worker: the hooks, the handler, the answer. Blocking code that owns the right to
// write to the connection's descriptor while it runs, and to read from it when the route streams.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/limits/byte_budget.h"
#include "lib/http/message/message.h"
#include "lib/http/message/router.h"
#include "lib/http/server/head.h"
#include "lib/http/server/options.h"

namespace http {

// The charge of a streamed body or answer: a window of the socket, and the handler's buffer.
inline constexpr size_t kStreamBytes = 256 << 10;

struct Exchange {
  explicit Exchange(base::ByteBudget* budget = nullptr) : charge(budget) {}

  base::ByteCharge charge;  // of the body and its copies; later of the answer
  RequestHead head;         // without method, path and headers, which are in `request`
  Request request;
  const Route* route = nullptr;
  std::vector<std::string> allowed;  // methods of the path, if it lacks the request's
  bool malformed = false;            // path or query do not decode
  bool computes = false;             // it runs on the computing workers
  bool reads_body = false;           // a streaming route: the body is still on the connection
  std::string received;              // bytes after the head; after the exchange: unconsumed ones
};

// An answer, of which `sent` bytes are sent.
struct Reply {
  std::string head, body;
  size_t sent = 0;
  size_t size() const { return head.size() + body.size(); }
  bool done() const { return sent == size(); }
};

// Tells the connection how to continue.
struct Outcome {
  bool keep_alive = true;
  bool broken = false;  // close at once: the client is gone, or must see a truncated answer
  bool reset = false;   // with `broken`: by RST, since a body without framing hides a truncation
  int status = 0;
  Reply reply;              // not done: the socket was full
  base::ByteCharge charge;  // of `reply`
};

// Answers `exchange` over `descriptor`. `draining`: the server stops, so the connection must close.
Outcome RunExchange(Exchange& exchange, int descriptor, const ServerOptions& options,
                    const std::atomic<bool>& draining);

// Sends as much of an answer as fits into the socket's buffer, without blocking.
Outcome SendReply(int descriptor, Response response, const Exchange& exchange, bool keep_alive);

// Sends more of `reply`, without blocking. False: the client is gone.
bool SendMore(int descriptor, Reply& reply);

}  // namespace http
