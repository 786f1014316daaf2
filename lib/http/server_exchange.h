// One request on a worker: the hooks, the handler, the answer. Blocking code that owns the right to
// write to the connection's descriptor while it runs, and to read from it when the route streams.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lib/http/message.h"
#include "lib/http/router.h"
#include "lib/http/server.h"
#include "lib/http/server_head.h"

namespace http {

// Bytes of body counted against what all requests of a server may hold together.
class BodyCharge {
 public:
  explicit BodyCharge(std::atomic<size_t>* total = nullptr) : total_(total) {}
  BodyCharge(const BodyCharge&) = delete;
  BodyCharge& operator=(const BodyCharge&) = delete;
  ~BodyCharge() { Set(0); }
  void Set(size_t bytes) {
    if (total_ != nullptr) *total_ += bytes - bytes_;
    bytes_ = bytes;
  }

 private:
  std::atomic<size_t>* const total_;
  size_t bytes_ = 0;
};

struct Exchange {
  explicit Exchange(std::atomic<size_t>* total_bytes = nullptr) : charge(total_bytes) {}

  BodyCharge charge;  // for request.body
  RequestHead head;   // without method, path and headers: they are in `request`
  Request request;
  const Route* route = nullptr;
  std::vector<std::string> allowed;  // methods of the path when the method does not fit
  bool malformed = false;            // path or query do not decode
  bool reads_body = false;           // a streaming route: the body is still on the connection
  std::string received;              // bytes behind the head; after the exchange: those not used
};

// What the connection does next.
struct Outcome {
  bool keep_alive = true;
  bool broken = false;  // close at once: the client is gone or must see a cut-off answer
  bool reset = false;   // `broken`, and only a reset shows it: the body has no end of its own
  int status = 0;
  std::string unsent;  // the rest of the answer; the socket was full
};

// Answers `exchange` over `descriptor`. `draining`: the server stops, so no further request is
// taken.
Outcome RunExchange(Exchange& exchange, int descriptor, const ServerOptions& options,
                    const std::atomic<bool>& draining);

// Writes a whole answer in one go; what did not fit is in `unsent`.
Outcome SendReply(int descriptor, const Response& response, const Exchange& exchange,
                  bool keep_alive);

}  // namespace http
