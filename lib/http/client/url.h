// The addresses of servers, and the targets of requests. Pure. Source: RFC 3986; a Host field is
// RFC 9110, section 7.2.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace http {

// Of an http:// or https:// URL.
struct Url {
  bool tls = false;
  std::string host;       // to resolve: an IPv6 address has no brackets
  std::string port;       // 80 or 443 if the URL has none
  std::string authority;  // as written, for the Host field: "[fd00::1]:8443"
  std::string path;       // encoded, without a "/" at its end; may be empty
};

// kInvalid: no such URL, or one with a user, a query or a fragment, which no request would carry.
base::Result<Url> ParseUrl(std::string_view text);

// Whether `text` has only characters of an encoded path with a query. The server checks escapes.
bool IsEncoded(std::string_view text);

}  // namespace http
