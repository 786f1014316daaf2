// One pass from left to right: scheme, host in brackets or not, port, path.
#include "lib/http/client/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace http {
namespace {

bool IsHostCharacter(unsigned char c) {  // a registered name without escapes
  return std::isalnum(c) ||
         std::string_view("-._~!$&'()*+,;=").find(char(c)) != std::string_view::npos;
}

bool IsIpv6(const std::string& text) {
  in6_addr bytes{};
  return ::inet_pton(AF_INET6, text.c_str(), &bytes) == 1;
}

bool IsPort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

}  // namespace

bool IsEncoded(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) {
    return IsHostCharacter(c) || c == ':' || c == '@' || c == '/' || c == '?' || c == '%';
  });
}

base::Result<Url> ParseUrl(std::string_view text) {
  const auto invalid = [&](const std::string& why) {
    return base::Error{base::Code::kInvalid, "\"" + std::string(text) + "\" " + why};
  };
  Url url;
  url.tls = text.starts_with("https://");
  if (!url.tls && !text.starts_with("http://"))
    return invalid("is not an http:// or https:// address");
  std::string_view rest = text.substr(text.find("://") + 3);
  const size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  url.authority = rest.substr(0, path);
  rest.remove_prefix(path);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  url.path = rest;
  if (url.authority.find('@') != std::string::npos)
    return invalid("has a user; a credential belongs into a token or certificate");
  if (url.path.find_first_of("?#") != std::string::npos)
    return invalid("has a query or a fragment, which no request would carry");
  const size_t bracket = url.authority.starts_with('[') ? url.authority.find(']') : 0;
  if (bracket == std::string::npos) return invalid("has no IPv6 address in its brackets");
  const size_t colon = std::min(url.authority.find(':', bracket), url.authority.size());
  url.host = url.authority.substr(0, colon);
  url.port = url.authority.substr(std::min(colon + 1, url.authority.size()));
  if (bracket > 0) {
    url.host = url.host.substr(1, bracket - 1);
    if (colon != bracket + 1 || !IsIpv6(url.host))
      return invalid("has no IPv6 address in its brackets");
  } else if (url.host.empty() || !std::ranges::all_of(url.host, IsHostCharacter) ||
             !IsEncoded(url.path)) {
    return invalid("is not an http:// or https:// address");
  }
  if (url.port.empty()) url.port = url.tls ? "443" : "80";
  if (!IsPort(url.port)) return invalid("has no port from 1 to 65535 behind its host");
  return url;
}

}  // namespace http
