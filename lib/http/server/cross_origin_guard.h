// Protects a listener without authentication from web pages. A browser lets any page send forms to
// any host, and the DNS name of a page can point to this server (rebinding): both show in Host,
// Origin and Content-Type, which no page can forge. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/http/message/message.h"

namespace http {

struct CrossOriginRules {
  // Accepted names in Host beside localhost; nullopt: the program has no such setting.
  std::optional<std::vector<std::string>> hosts;
  // Accepts any IP address in Host, since rebinding needs a name. So published ports and cluster
  // IPs of Services work, which the server does not know.
  bool addresses = false;
  std::vector<std::string> origins;  // accepted values of Origin
  bool loopback_origins = false;     // accepts pages of loopback addresses, on any port
  // Media types of bodies; empty: any. A list must not have the types that a page may send without
  // a CORS preflight: application/x-www-form-urlencoded, multipart/form-data, text/plain, none.
  std::vector<std::string> body_types;
};

// 421 for another Host (with any port), 403 for a denied Origin, 415 for a body of another type;
// each answer explains the remedy.
std::optional<Response> RefuseCrossOrigin(const Request& request, const CrossOriginRules& rules);

// Whether the request is of a probe or a load balancer: GET or HEAD of /health, /livez, /readyz.
bool IsHealthRoute(const Request& request);

// Whether only the same host can connect: "127.0.0.1:7437", "[::1]:0" or "localhost:1".
bool IsLoopbackAddress(std::string_view listen);

// Validates a name or an address for CrossOriginRules::hosts (kInvalid).
base::Status CheckHostName(const std::string& name);

}  // namespace http
