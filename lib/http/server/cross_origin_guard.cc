// Checks Host, Origin and Content-Type, the three headers that distinguish a browser's request from
// an agent's: a page can choose none of them freely.
#include "lib/http/server/cross_origin_guard.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "lib/http/server/address.h"

namespace http {
namespace {

constexpr std::array<std::string_view, 3> kLoopbackNames = {"localhost", "127.0.0.1", "::1"};

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The name of an authority, case-folded, without port, brackets and trailing dot; empty: malformed.
std::string NameOf(std::string_view authority) {
  const bool bracketed = authority.starts_with('[');
  const size_t end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && end == std::string_view::npos) return "";
  std::string_view name = authority.substr(0, end);
  std::string_view port;
  if (end != std::string_view::npos) port = authority.substr(bracketed ? end + 1 : end);
  if (!port.empty() && (port[0] != ':' || !IsPort(port.substr(1)))) return "";
  if (bracketed) {
    name.remove_prefix(1);
    if (name.find(':') == std::string_view::npos) return "";  // only IPv6 has brackets
  } else if (name.ends_with('.')) {
    name.remove_suffix(1);
  }
  return base::FoldCase(name);
}

bool IsLoopback(std::string_view name) { return std::ranges::count(kLoopbackNames, name) > 0; }

bool IsAddress(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool IsOurHost(const Request& request, const CrossOriginRules& rules) {
  const auto host = request.headers.Get("Host");
  const std::string name = host ? NameOf(*host) : "";
  if (name.empty()) return false;
  if (IsLoopback(name) || (rules.addresses && IsAddress(name))) return true;
  return rules.hosts && std::ranges::any_of(*rules.hosts, [&](const std::string& ours) {
           return base::FoldCase(ours) == name;
         });
}

bool IsAllowedOrigin(const std::string& origin, const CrossOriginRules& rules) {
  if (std::ranges::count(rules.origins, origin) > 0) return true;
  if (!rules.loopback_origins) return false;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme))
      return IsLoopback(NameOf(std::string_view(origin).substr(scheme.size())));
  }
  return false;
}

bool HasBody(const Headers& headers) {
  const std::string length = headers.Get("Content-Length").value_or("");
  return length.find_first_not_of('0') != std::string::npos || headers.Get("Transfer-Encoding");
}

std::optional<std::string> UnknownType(const Request& request, const CrossOriginRules& rules) {
  if (rules.body_types.empty() || !HasBody(request.headers)) return std::nullopt;
  const std::string given = request.headers.Get("Content-Type").value_or("");
  const std::string type = base::FoldCase(base::Trim(given.substr(0, given.find(';'))));
  const bool known = std::ranges::count(rules.body_types, type) > 0;
  return known ? std::nullopt : std::optional(type);
}

Response Misdirected(int status, const char* code, const std::string& message) {
  return JsonResponse(status, {{"error", message}, {"code", code}});
}

}  // namespace

// Probes and load balancers use these routes by any name or none; the answers contain no memory.
bool IsHealthRoute(const Request& request) {
  return (request.method == "GET" || request.method == "HEAD") &&
         (request.path == "/health" || request.path == "/livez" || request.path == "/readyz");
}

std::optional<Response> RefuseCrossOrigin(const Request& request, const CrossOriginRules& rules) {
  if (IsHealthRoute(request)) return std::nullopt;
  if (!IsOurHost(request, rules)) {
    return Misdirected(
        421, "misdirected",
        "Host " + base::InertName(request.headers.Get("Host").value_or("")) +
            " is not a name of this server; call it as localhost, 127.0.0.1 or [::1]" +
            (rules.addresses ? ", by its address" : "") +
            (rules.hosts ? ", or name it in the setting hosts" : ""));
  }
  if (const auto origin = request.headers.Get("Origin"); origin && !IsAllowedOrigin(*origin, rules))
    return Misdirected(403, "denied",
                       "Origin " + base::InertName(*origin) +
                           " may not call this server; a web page may when the setting "
                           "allowed-origins names its origin");
  if (const auto type = UnknownType(request, rules)) {
    return Misdirected(
        415, "invalid",
        "a body needs a Content-Type that says what it is, not " +
            (type->empty() ? "none" : base::InertName(*type)) +
            "; send the header Content-Type: application/json (curl --json), or one of " +
            base::Join(rules.body_types, ", "));
  }
  return std::nullopt;
}

bool IsLoopbackAddress(std::string_view listen) {
  const auto parts = ParseAddress(listen);
  return parts && (parts->first == "::1" || parts->first.starts_with("127."));
}

base::Status CheckHostName(const std::string& name) {
  const std::string authority = name.find(':') == std::string::npos ? name : "[" + name + "]";
  const bool clean = std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_' || c == ':';
  });
  if (!name.empty() && clean && NameOf(authority) == base::FoldCase(name)) return {};
  return base::Error{base::Code::kInvalid,
                     base::InertName(name) +
                         " is not a host name or an address; write it without scheme, port and "
                         "brackets, like memory.example.org"};
}

}  // namespace http
