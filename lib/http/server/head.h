// A strict parser of HTTP/1.1 request heads (RFC 9110, RFC 9112): refuses every head that two
// parsers could read differently (request smuggling). Pure. Bodies: body.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lib/http/message/message.h"

namespace http {

// Status and reason of a refused request; the server closes the connection after that answer.
struct Refusal {
  int status = 400;
  std::string reason;
};

struct RequestHead {
  std::string method;  // one of the served methods
  std::string path;    // raw, begins with '/', or "*"
  std::string query;   // raw, without '?'
  Headers headers;
  bool http_1_0 = false;
  bool keep_alive = true;
  bool chunked = false;
  uint64_t content_length = 0;
  bool expects_continue = false;

  bool has_body() const { return chunked || content_length > 0; }
};

// `raw` ends with its only empty line (CRLF CRLF).
std::variant<RequestHead, Refusal> ReadHead(std::string_view raw, size_t max_fields);

// The client's request id if it has 1 to 128 characters of [A-Za-z0-9._:/+=@-], else a new one.
std::string RequestId(const Headers& headers);

}  // namespace http
