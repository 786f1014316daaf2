// Builds the request as the listener would have, and reads the answer back.
#include "sidecar/mcp_twin_routes.h"

namespace sidecar {

using base::Json;

base::Result<Json> TwinRoutes::Ask(const http::Request& outer, TwinCall call) const {
  http::Router::Match match = router_.Find(call.method, call.path);
  if (match.route == nullptr) {
    return base::Error{base::Code::kInternal, "no route " + call.method + " " + call.path};
  }
  http::Request request;
  request.method = std::move(call.method);
  request.path = std::move(call.path);
  request.parameters = std::move(match.parameters);
  request.query = std::move(call.query);
  request.client_gone = outer.client_gone;
  request.id = outer.id;
  request.peer = outer.peer;
  request.identity = outer.identity;
  request.span = outer.span;
  for (const char* name : {"traceparent", "X-Request-Id", "Idempotency-Key"}) {
    if (auto value = outer.headers.Get(name)) request.headers.Set(name, *value);
  }
  if (!call.body.is_null()) request.body = base::DumpJson(call.body);

  const http::Response answer = match.route->handler(request);
  auto body = answer.body.empty() ? base::Result<Json>(Json()) : base::ParseJson(answer.body);
  if (answer.status >= 200 && answer.status < 300) return body;
  std::string why = body && body->is_object() ? base::StringAt(*body, {"error"}) : "";
  if (why.empty()) why = "the memory server answered " + std::to_string(answer.status);
  return base::Error{http::CodeOf(answer.status), std::move(why)};
}

}  // namespace sidecar
