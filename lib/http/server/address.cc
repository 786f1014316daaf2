// Parses the forms of an address, without DNS: the only name is localhost.
#include "lib/http/server/address.h"

#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace http {

base::Result<std::pair<std::string, int>> ParseAddress(std::string_view address) {
  const base::Error malformed{base::Code::kInvalid,
                              "address \"" + std::string(address) +
                                  "\": expected address:port, [v6]:port, localhost:port or :port"};
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return malformed;
  std::string_view host = address.substr(0, colon);
  const std::string_view digits = address.substr(colon + 1);
  int port = -1;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return malformed;
  if (port < 0 || port > 65535) return malformed;
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return malformed;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return malformed;
  }
  std::string name = host.empty() ? "::" : std::string(host);
  if (name == "localhost") name = "127.0.0.1";
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  if (error) return malformed;
  return std::pair(std::move(name), port);
}

}  // namespace http
