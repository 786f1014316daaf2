// A handler of a route whose answer is JSON: 200 with the body, or the error's status.
#pragma once

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/http/message/message.h"

namespace sidecar {

// `routes` must outlive the handler.
template <class Routes>
http::Handler JsonHandler(Routes* routes,
                          base::Result<base::Json> (Routes::*handler)(const http::Request&)) {
  return [routes, handler](const http::Request& request) {
    const base::Result<base::Json> body = (routes->*handler)(request);
    return body ? http::JsonResponse(200, *body) : http::ErrorResponse(body.error());
  };
}

}  // namespace sidecar
