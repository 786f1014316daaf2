// Cross-origin requests of browsers (https://fetch.spec.whatwg.org/#http-cors-protocol): pages of
// named origins may read answers; other origins get no CORS header. Pure, except AllowOrigins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/http/server/options.h"

namespace http {

// The answer to a preflight of one of these origins; nullopt: no preflight, or another origin.
std::optional<Response> AnswerPreflight(const Request& request,
                                        const std::vector<std::string>& origins);

// Adds the origin, the fields that its page may read, and Vary for caches.
void AddCorsHeaders(const Request& request, const std::vector<std::string>& origins,
                    Response& response);

// Does both for all requests that `options.before` passes. Without origins it does nothing.
void AllowOrigins(ServerOptions& options, std::vector<std::string> origins);

}  // namespace http
