// One HTTP call with a deadline and a limit of bytes for the whole answer; a stop aborts it.
#pragma once

#include <stop_token>

#include "lib/http/client/client.h"

namespace memory {

// Blocks until the whole answer arrived, at most `request.timeout_ms` in total. An answer of any
// status is a value. kTooLarge: longer than `most_bytes`; kTimeout; kUnavailable: no answer, or
// `stop`; kInvalid: a truncated answer.
base::Result<http::Response> CallBounded(http::Client& client, const http::ClientRequest& request,
                                         size_t most_bytes, const std::stop_token& stop);

}  // namespace memory
