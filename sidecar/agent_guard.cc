// The two headers that tell a browser's request from an agent's.
#include "sidecar/agent_guard.h"

#include <algorithm>
#include <string_view>

#include "lib/base/text.h"

namespace sidecar {
namespace {

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool IsOurHost(std::string_view host) {
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (host.size() < name.size()) continue;
    const std::string given = base::FoldCase(host.substr(0, name.size()));
    if (given != name) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty() || (rest[0] == ':' && IsPort(rest.substr(1)))) return true;
  }
  return false;
}

http::Response Refusal(int status, const char* code, const std::string& message) {
  return http::JsonResponse(status, {{"error", message}, {"code", code}});
}

}  // namespace

std::optional<http::Response> RefuseStranger(const http::Request& request,
                                             const std::vector<std::string>& allowed_origins) {
  const auto host = request.headers.Get("Host");
  if (!host || !IsOurHost(*host)) {
    return Refusal(421, "misdirected", "Host must be localhost, 127.0.0.1 or [::1]");
  }
  const auto origin = request.headers.Get("Origin");
  if (!origin) return std::nullopt;
  const bool allowed =
      std::find(allowed_origins.begin(), allowed_origins.end(), *origin) != allowed_origins.end();
  if (allowed) return std::nullopt;
  return Refusal(403, "denied", "this Origin is not in allowed-origins");
}

}  // namespace sidecar
