// The strict reading of an HTTP/1.1 request head (RFC 9110, RFC 9112): everything that two readers
// could understand differently is refused here. Pure: bytes in, a head or a refusal out. Bodies:
// body.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lib/http/message/message.h"

namespace http {

// Why a request is not served; the connection is closed behind the answer.
struct Refusal {
  int status = 400;
  std::string reason;
};

struct RequestHead {
  std::string method;  // one that we serve
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

// `raw` ends with the empty line (CRLF CRLF) and holds no other.
std::variant<RequestHead, Refusal> ReadHead(std::string_view raw, size_t max_fields);

// The client's request id if it has 1 to 128 characters of [A-Za-z0-9._:/+=@-], else a new one.
std::string RequestId(const Headers& headers);

}  // namespace http
