// One HTTP call whose answer is bounded in time and bytes, and which a stop ends at once.
#pragma once

#include <stop_token>

#include "lib/http/client/client.h"

namespace memory {

// Blocks until the whole answer came, for `request.timeout_ms` in all at most. An answer of any
// status is a value. kTooLarge: longer than `most_bytes`; kTimeout; kUnavailable: no answer, or
// `stop`; kInvalid: one that was cut off.
base::Result<http::Response> CallBounded(http::Client& client, const http::ClientRequest& request,
                                         size_t most_bytes, const std::stop_token& stop);

}  // namespace memory
