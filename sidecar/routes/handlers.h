// Wrappers of handlers: JSON answers, and path parameters in the redacted form in which ids are
// stored and found.
#pragma once

#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/http/message/message.h"
#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"

namespace sidecar {

// Answers 200 with the JSON of `handler`, or the status of its error. `routes` must outlive the
// handler.
template <class Routes>
http::Handler JsonHandler(Routes* routes,
                          base::Result<base::Json> (Routes::*handler)(const http::Request&)) {
  return [routes, handler](const http::Request& request) {
    const base::Result<base::Json> body = (routes->*handler)(request);
    return body ? http::JsonResponse(200, *body) : http::ErrorResponse(body.error());
  };
}

// The routes with handlers that get redacted path parameters; numbers stay unchanged. `policies`
// must outlive the routes.
std::vector<http::Route> WithRedactedNames(std::vector<http::Route> routes,
                                           const PolicyWatch& policies);

}  // namespace sidecar
