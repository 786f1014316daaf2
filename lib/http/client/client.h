// All outbound HTTP (cpprestsdk inside client.cc, nowhere else). A call blocks the caller's own
// thread; streams hold none of his.
#pragma once

#include <memory>

#include "lib/http/client/request.h"

namespace http {

// Any thread. An HTTP status of any kind is a value; an error means that no whole answer came:
// kUnavailable (refused, reset, unresolved), kTimeout, kTooLarge. Redirects are not followed. One
// retry for GET, and for requests with an Idempotency-Key, when a reused connection turns out dead.
class Client {
 public:
  virtual ~Client() = default;
  virtual base::Result<Response> Send(const ClientRequest& request) = 0;

  // Returns at once, and tells nothing before it does so on this thread. The request's timeout is
  // that of the head.
  virtual std::unique_ptr<OpenStream> Open(const ClientRequest& request, StreamReader reader) = 0;
};

// Once per process, first thing in main: the library's one thread. Nothing blocks there, and a
// connection is back in its pool before the answer is handed on, so that the next call uses it.
// MakeClient does it when nobody did.
void InitializeClientThread();
base::Result<std::unique_ptr<Client>> MakeClient(ClientOptions options);

}  // namespace http
