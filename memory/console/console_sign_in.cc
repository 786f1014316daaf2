// A cookie alone proves nothing: SameSite=Strict, Origin and Sec-Fetch-Site must agree that the
// console's own page sent the request.
#include "memory/console/console_sign_in.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/json.h"
#include "lib/base/process/random.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

using http::Request;
using http::Response;

namespace {

constexpr const char* kPath = "/ui/session";
constexpr std::string_view kCookie = "agent-memory-console";
constexpr int64_t kMostMs = 3'600'000;
constexpr size_t kCookieBytes = 32;
constexpr size_t kMostBody = 16 << 10;

Response Refused(int status, const std::string& message) {
  return http::JsonResponse(
      status, {{"error", message}, {"code", status == 401 ? "unauthenticated" : "denied"}});
}

// The value of our cookie; empty: none.
std::string CookieOf(const Request& request) {
  const std::string all = request.headers.Get("Cookie").value_or("");
  for (const std::string& part : base::Split(all, ';')) {
    const std::string_view pair = base::Trim(part);
    if (pair.starts_with(kCookie) && pair.substr(kCookie.size()).starts_with('='))
      return std::string(pair.substr(kCookie.size() + 1));
  }
  return "";
}

// Whether the console's page sent the request: a browser tells by one of two headers, which no page
// can choose. A read may lack both: older browsers send them with changes alone.
bool IsOfOwnPage(const Request& request) {
  const auto origin = request.headers.Get("Origin"), site = request.headers.Get("Sec-Fetch-Site");
  const std::string host = request.headers.Get("Host").value_or("");
  if (origin && *origin != "http://" + host && *origin != "https://" + host) return false;
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (site) return *site == "same-origin" || (reads && *site == "none");
  return origin || reads;
}

Response WithCookie(Response response, const std::string& value, int64_t seconds) {
  response.headers.Set(
      "Set-Cookie", std::string(kCookie) + "=" + value +
                        "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(seconds));
  response.headers.Set("Cache-Control", "no-store");
  return response;
}

}  // namespace

Response ConsoleSignIn::Begin(const Request& request) {
  if (!IsOfOwnPage(request))
    return Refused(403, "only the console's own page may sign in; open /ui/ of this server");
  const auto body = base::ParseJson(request.body);
  const base::Json* token = body ? base::At(*body, {"token"}) : nullptr;
  if (!token || !token->is_string())
    return http::ErrorResponse({base::Code::kInvalid, "token is required and must be a text"});
  const std::string text(base::Trim(token->get_ref<const std::string&>()));
  http::Headers headers;
  headers.Set("Authorization", "Bearer " + text);
  const Identified who = identities_.Identify(headers);
  if (who.status != 200) return Refused(who.status, who.message);
  int64_t expires_ms = clock_.NowMs() + kMostMs;
  if (auto claims = ReadClaims(text); claims && claims->expires_ms > 0)
    expires_ms = std::min(expires_ms, claims->expires_ms);
  const std::string cookie = base::RandomHex(kCookieBytes);
  {
    std::lock_guard lock(mutex_);
    sessions_.Put(base::Sha256Hex(cookie), {text, expires_ms});
  }
  return WithCookie(
      http::JsonResponse(200, {{"caller", who.caller.tenant + "/" + who.caller.account}}), cookie,
      std::max<int64_t>(1, (expires_ms - clock_.NowMs()) / 1000));
}

Response ConsoleSignIn::End(const Request& request) {
  std::lock_guard lock(mutex_);
  sessions_.Erase(base::Sha256Hex(CookieOf(request)));
  return WithCookie(http::EmptyResponse(204), "", 0);
}

std::optional<Response> ConsoleSignIn::Admit(Request& request) {
  if (request.headers.Get("Authorization") || request.path == kPath) return std::nullopt;
  const std::string cookie = CookieOf(request);
  if (cookie.empty()) return std::nullopt;
  std::string token;
  {
    std::lock_guard lock(mutex_);
    const std::string key = base::Sha256Hex(cookie);
    const Session* session = sessions_.Find(key);
    if (!session) return std::nullopt;
    if (session->expires_ms <= clock_.NowMs()) {
      sessions_.Erase(key);
      return std::nullopt;
    }
    token = session->token;
  }
  if (!IsOfOwnPage(request))
    return Refused(403, "another page sent this request with the console's cookie");
  request.headers.Set("Authorization", "Bearer " + token);
  return std::nullopt;
}

void ConsoleSignIn::Guard(http::ServerOptions& options) {
  options.before = [this,
                    then = std::move(options.before)](Request& request) -> std::optional<Response> {
    if (auto refused = Admit(request)) return refused;
    return then ? then(request) : std::nullopt;
  };
  options.at_head =
      [this, then = std::move(options.at_head)](const Request& request) -> std::optional<Response> {
    if (request.path == kPath) return std::nullopt;  // who signs in has no token yet
    Request admitted = request;
    if (auto refused = Admit(admitted)) return refused;
    return then ? then(admitted) : std::nullopt;
  };
}

std::string ConsoleSignIn::Who(const Request& request) const {
  const Identified who = identities_.Identify(request.headers);
  return who.status == 200 && !who.caller.account.empty()
             ? who.caller.tenant + "/" + who.caller.account
             : "";
}

std::vector<http::Route> ConsoleSignIn::Routes() {
  http::Route begin, end;
  begin.method = "POST";
  begin.pattern = end.pattern = kPath;
  begin.max_body_bytes = kMostBody;
  begin.handler = [this](const Request& request) { return Begin(request); };
  end.method = "DELETE";
  end.handler = [this](const Request& request) { return End(request); };
  return {std::move(begin), std::move(end)};
}

}  // namespace memory
