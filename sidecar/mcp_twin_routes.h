// The routes that the agent's listener serves, called from inside: a tool does what its twin route
// does, by the same code, under the same policy.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/http/message/router.h"

namespace sidecar {

struct TwinCall {
  std::string method = "GET", path;                        // segments percent-encoded
  std::vector<std::pair<std::string, std::string>> query;  // decoded
  base::Json body;                                         // null: none
};

class TwinRoutes {
 public:
  explicit TwinRoutes(std::vector<http::Route> routes) : router_(std::move(routes)) {}

  // The JSON of a 2xx, null when that has no body. Any other answer is an Error with its message.
  // Of `outer`, the request of the tool call, trace, request id and idempotency key go along.
  base::Result<base::Json> Ask(const http::Request& outer, TwinCall call) const;

 private:
  http::Router router_;
};

}  // namespace sidecar
