// What the memory server's answer to a write means, and where a write may go. Pure.
#pragma once

#include <string>

#include "lib/http/message/message.h"
#include "sidecar/outbox/outbox.h"

namespace sidecar {

struct DeliveryOutcome {
  enum class Kind {
    kDelivered,
    kRowFault,     // the server is well and will never take this row: a dead letter
    kConflict,     // it may take it later; a dead letter after a few tries
    kServerFault,  // the server, or the way to it: every row waits
    kThrottled,    // the row's budget is used up; Retry-After says for how long
  };
  Kind kind = Kind::kServerFault;
  const char* reason = "";  // of a server fault: one word of kSuspensionReasons
  bool maybe_row = false;   // of a server fault: another row is asked before all of them wait
  // Of a server fault: refused so often while the server takes others, the row is at fault after
  // all. 0: never.
  int most_tries = 0;
};

// Every `reason`, so that a metric has a series for each from the start.
inline constexpr const char* kSuspensionReasons[] = {
    "unreachable",      // no answer
    "overloaded",       // 502, 503, 504
    "unauthenticated",  // 401: the token
    "denied",           // 403
    "redirected",       // 3xx
    "not_found",        // 404 of the route
    "not_served",       // 405 and other 4xx that are not the row's
    "wrong_backend",    // 2xx without the answer that a memory server gives
    "full",             // 507: its volume or quota
    "server_error",     // other 5xx, for more than one row
};

DeliveryOutcome ClassifyResponse(const OutboxRow& row, const http::Response& answer);
// No answer came at all.
DeliveryOutcome ClassifyNoAnswer();

// Where a row of `captured` (its destination at the capture) goes now that `current` is in force.
// Empty url: not resolved, wait. A destination in another namespace is never followed: `allowed` is
// false.
struct Destination {
  std::string url;
  bool allowed = true;
};
Destination Redirect(const std::string& captured, const std::string& current);

}  // namespace sidecar
