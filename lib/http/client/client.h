// All outbound HTTP (what an answer may be: answer_reader.h). A call blocks the caller's thread; a
// stream does not.
#pragma once

#include <memory>

#include "lib/http/client/request.h"

namespace http {

// Any thread. An answer of any HTTP status is a value; an error means no complete answer:
// kUnavailable (refused, reset, unresolved, not HTTP, a head over its limit), kTimeout, kTooLarge
// (the body); kInvalid: a bad target or header, not sent. Follows no redirects. Retries idempotent
// requests (answer.h) once on a dead connection.
class Client {
 public:
  virtual ~Client() = default;
  virtual base::Result<Response> Send(const ClientRequest& request) = 0;

  // Returns at once; calls `reader` on another thread, possibly before it returns. The request's
  // timeout limits the wait for the head.
  virtual std::unique_ptr<OpenStream> Open(const ClientRequest& request, StreamReader reader) = 0;
};

// Starts the I/O thread of all clients; call it once, first in main (else MakeClient does it).
// Nothing blocks on that thread, and a connection is back in its pool before its answer is
// delivered, so that the next call reuses it.
void InitializeClientThread();
base::Result<std::unique_ptr<Client>> MakeClient(ClientOptions options);

}  // namespace http
