// Classifies the memory server's answers to writes, and decides the destination of a write. Pure.
#pragma once

#include <string>

#include "lib/http/message/message.h"
#include "sidecar/outbox/outbox.h"

namespace sidecar {

struct DeliveryOutcome {
  enum class Kind {
    kDelivered,
    kRowFault,     // the server works and never accepts this row: a dead letter
    kConflict,     // the server may accept the row later; a dead letter after a few tries
    kServerFault,  // of the server or the network: every row waits
    kThrottled,    // the quota of the row is used up, for as long as Retry-After says
  };
  Kind kind = Kind::kServerFault;
  const char* reason = "";  // of a server fault: one word of kSuspensionReasons
  bool maybe_row = false;   // of a server fault: another row is tried before all wait
  // Of a server fault: the row is at fault after this many refusals during which the server
  // accepted other rows. 0: never.
  int most_tries = 0;
};

// All reasons; the metric has a series for each from the start.
inline constexpr const char* kSuspensionReasons[] = {
    "unreachable",      // no answer
    "overloaded",       // 502, 503, 504
    "unauthenticated",  // 401: the token
    "denied",           // 403
    "redirected",       // 3xx
    "not_found",        // 404 of the route
    "not_served",       // 405 and other 4xx that do not concern the row
    "wrong_backend",    // 2xx with a body that no memory server sends
    "full",             // 507: its volume or quota
    "server_error",     // other 5xx, for more than one row
};

DeliveryOutcome ClassifyResponse(const OutboxRow& row, const http::Response& answer);
// The outcome of a call without an answer.
DeliveryOutcome ClassifyNoAnswer();

// The destination of a row that was captured for the server `captured`, now that `current` is in
// force. Empty url: not resolved, the row waits. `allowed` is false if `current` is in another
// namespace: rows are never sent there.
struct Destination {
  std::string url;
  bool allowed = true;
};
Destination Redirect(const std::string& captured, const std::string& current);

}  // namespace sidecar
