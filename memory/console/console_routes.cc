// Each answer carries the whole policy: no script, style, picture or connection from elsewhere, no
// frame around it, no text that becomes markup.
#include "memory/console/console_routes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/text/text.h"
#include "memory/console/console_files.h"

namespace memory {

using http::Request;
using http::Response;

namespace {

constexpr std::string_view kIndex = "index.html";
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
     "require-trusted-types-for 'script'; trusted-types 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"X-Frame-Options", "DENY"}};
constexpr std::pair<std::string_view, const char*> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".txt", "text/plain; charset=utf-8"}};

Response Guarded(Response response) {
  for (const auto& [name, value] : kHeaders) response.headers.Set(name, value);
  return response;
}

// Whether Accept-Encoding names gzip, and not with the weight 0 (RFC 9110, 12.5.3).
bool TakesGzip(const Request& request) {
  const std::string accepted = request.headers.Get("Accept-Encoding").value_or("");
  return std::ranges::any_of(base::Split(accepted, ','), [](const std::string& part) {
    const std::string coding(base::Trim(part.substr(0, part.find(';'))));
    const size_t weight = part.find("q=0");
    const bool refused = weight != std::string::npos &&
                         part.find_first_not_of("0. ", weight + 2) == std::string::npos;
    return http::SameText(coding, "gzip") && !refused;
  });
}

const char* TypeOf(std::string_view name) {
  for (const auto& [ending, type] : kTypes)
    if (name.ends_with(ending)) return type;
  return "application/octet-stream";
}

Response FileAnswer(const Request& request, std::string_view name) {
  const auto files = ConsoleFiles();
  const auto file = std::ranges::find(files, name, &ConsoleFile::name);
  if (file == files.end()) {
    return Guarded(http::ErrorResponse(
        {base::Code::kNotFound, "the console has no such file; open /ui/, which names its files"}));
  }
  const bool packed = TakesGzip(request);
  Response response =
      http::TextResponse(200, std::string(packed ? file->gzip : file->bytes), TypeOf(name));
  if (packed) response.headers.Set("Content-Encoding", "gzip");
  response.headers.Set("Vary", "Accept-Encoding");
  response.headers.Set("Cache-Control",
                       name == kIndex ? "no-cache" : "public, max-age=31536000, immutable");
  return Guarded(std::move(response));
}

http::Route Page(const char* pattern, http::Handler handler) {
  http::Route route;
  route.method = "GET";
  route.pattern = pattern;
  route.handler = std::move(handler);
  return route;
}

}  // namespace

std::vector<http::Route> ConsoleRoutes(const ConsoleFacts& facts) {
  return {Page("/ui",
               [](const Request&) {
                 Response response = http::EmptyResponse(308);
                 response.headers.Set("Location", "/ui/");
                 return Guarded(std::move(response));
               }),
          Page("/ui/", [](const Request& request) { return FileAnswer(request, kIndex); }),
          Page("/ui/facts",
               [facts](const Request& request) {
                 base::Json body = {{"auth", facts.auth}, {"everybody", facts.everybody}};
                 if (facts.who) {
                   body["audience"] = facts.audience;
                   body["caller"] = facts.who(request);
                 }
                 Response response = http::JsonResponse(200, body);
                 response.headers.Set("Cache-Control", "no-store");
                 return Guarded(std::move(response));
               }),
          Page("/ui/{file}", [](const Request& request) {
            return FileAnswer(request, request.parameters.at("file"));
          })};
}

}  // namespace memory
