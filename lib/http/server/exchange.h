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

// What a streamed body or answer holds: a window of the socket, and what a handler gathers of it.
inline constexpr size_t kStreamBytes = 256 << 10;

struct Exchange {
  explicit Exchange(base::ByteBudget* budget = nullptr) : charge(budget) {}

  base::ByteCharge charge;  // for the body and its copies; then for the answer
  RequestHead head;         // without method, path and headers: they are in `request`
  Request request;
  const Route* route = nullptr;
  std::vector<std::string> allowed;  // methods of the path when the method does not fit
  bool malformed = false;            // path or query do not decode
  bool reads_body = false;           // a streaming route: the body is still on the connection
  std::string received;              // bytes behind the head; after the exchange: those not used
};

// An answer that is out as far as `sent`.
struct Reply {
  std::string head, body;
  size_t sent = 0;
  size_t size() const { return head.size() + body.size(); }
  bool done() const { return sent == size(); }
};

// What the connection does next.
struct Outcome {
  bool keep_alive = true;
  bool broken = false;  // close at once: the client is gone or must see a cut-off answer
  bool reset = false;   // `broken`, and only a reset shows it: the body has no end of its own
  int status = 0;
  Reply reply;              // not done: the socket was full
  base::ByteCharge charge;  // for it
};

// Answers `exchange` over `descriptor`. `draining`: the server stops, so no further request is
// taken.
Outcome RunExchange(Exchange& exchange, int descriptor, const ServerOptions& options,
                    const std::atomic<bool>& draining);

// Writes a whole answer in one go, or as much of it as fits.
Outcome SendReply(int descriptor, Response response, const Exchange& exchange, bool keep_alive);

// Sends more of it, without blocking. False: the client is gone.
bool SendMore(int descriptor, Reply& reply);

}  // namespace http
