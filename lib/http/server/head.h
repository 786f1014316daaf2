// A strict parser of HTTP/1.1 request heads (RFC 9110, RFC 9112): refuses every head that two
// parsers could read differently (request smuggling). Pure. Bodies: body/body.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lib/http/message/fields.h"
#include "lib/http/message/message.h"

namespace http {

// The server answers a Refusal with its status and closes the connection.
struct RequestHead : BodyExtent {
  std::string method;  // one of the served methods
  std::string path;    // raw, begins with '/', or "*"
  std::string query;   // raw, without '?'
  Headers headers;
  bool http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
};

// `raw` ends with its only empty line (CRLF CRLF).
std::variant<RequestHead, Refusal> ReadHead(std::string_view raw, size_t max_fields);

// The client's request id if it has 1 to 128 characters of [A-Za-z0-9._:/+=@-], else a new one.
std::string RequestId(const Headers& headers);

}  // namespace http
