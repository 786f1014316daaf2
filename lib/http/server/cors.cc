// Without credentials: no listener that names origins takes cookies.
#include "lib/http/server/cors.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"

namespace http {
namespace {

constexpr const char* kExposed =
    "X-Request-Id, X-Next-Cursor, X-Partial, Retry-After, ETag, Location, Mcp-Session-Id";
constexpr const char* kPreflightSeconds = "600";
constexpr size_t kMostFields = 2'000;  // bytes of the list that a preflight asks for

bool IsNamed(const Request& request, const std::vector<std::string>& origins) {
  const auto origin = request.headers.Get("Origin");
  return origin && std::ranges::count(origins, *origin) > 0;
}

// Whether the text is a list of field names (RFC 9110), with commas and blanks.
bool IsFieldList(const std::string& text) {
  return text.size() <= kMostFields && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("!#$%&'*+-.^_`|~, ").find(c) != std::string_view::npos;
         });
}

}  // namespace

std::optional<Response> AnswerPreflight(const Request& request,
                                        const std::vector<std::string>& origins) {
  if (request.method != "OPTIONS" || !request.headers.Get("Access-Control-Request-Method") ||
      !IsNamed(request, origins))
    return std::nullopt;
  Response response = EmptyResponse(204);
  response.headers.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
  const std::string fields = request.headers.Get("Access-Control-Request-Headers").value_or("");
  if (!fields.empty() && IsFieldList(fields))
    response.headers.Set("Access-Control-Allow-Headers", fields);
  response.headers.Set("Access-Control-Max-Age", kPreflightSeconds);
  if (request.headers.Get("Access-Control-Request-Private-Network") == "true")
    response.headers.Set("Access-Control-Allow-Private-Network", "true");
  return response;
}

void AddCorsHeaders(const Request& request, const std::vector<std::string>& origins,
                    Response& response) {
  response.headers.Add("Vary", "Origin");
  if (!IsNamed(request, origins)) return;
  response.headers.Set("Access-Control-Allow-Origin", *request.headers.Get("Origin"));
  response.headers.Set("Access-Control-Expose-Headers", kExposed);
}

void AllowOrigins(ServerOptions& options, std::vector<std::string> origins) {
  if (origins.empty()) return;
  options.before = [before = std::move(options.before),
                    origins](Request& request) -> std::optional<Response> {
    if (before) {
      if (auto refused = before(request)) return refused;
    }
    return AnswerPreflight(request, origins);
  };
  options.finish = [origins = std::move(origins)](const Request& request, Response& response) {
    AddCorsHeaders(request, origins, response);
  };
}

}  // namespace http
