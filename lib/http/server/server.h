// The HTTP/1.1 server of all listeners (Boost.Asio; Beast only inside body.cc). Handlers may block:
// they run on a bounded thread pool; a full pool answers 503 with Retry-After.
#pragma once

#include <memory>
#include <string>

#include "lib/base/result.h"
#include "lib/http/message/router.h"
#include "lib/http/server/options.h"

namespace http {

class Server {
 public:
  // Binds and serves. kInvalid: a bad address; kConflict: the port, which the error names, is in
  // use.
  static base::Result<std::unique_ptr<Server>> Start(Router router, ServerOptions options);
  virtual ~Server() = default;              // Stop(0)
  virtual std::string address() const = 0;  // "127.0.0.1:40123"
  virtual int port() const = 0;
  // Stops accepting, lets running requests end up to `grace_ms`, then closes. Not from a handler.
  virtual void Stop(int64_t grace_ms) = 0;
};

}  // namespace http
