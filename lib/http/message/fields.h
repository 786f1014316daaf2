// Lines of a head, of requests and answers alike (RFC 9110, RFC 9112). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/http/message/message.h"

namespace http {

// Why a message is refused, and the status with which a server says so.
struct Refusal {
  int status = 400;
  std::string reason;
};

// Where the body after a head ends.
struct BodyExtent {
  bool chunked = false;
  uint64_t content_length = 0;

  bool has_body() const { return chunked || content_length > 0; }
};

bool IsToken(std::string_view text);  // RFC 9110, 5.6.2; not empty
// Whether CR and LF occur only as CRLF, and no other control character except TAB.
bool HasCleanBytes(std::string_view raw);

// Adds each line of `raw` from `begin` to its empty line (CRLF CRLF ends `raw`) to `headers`.
std::optional<Refusal> ReadFields(std::string_view raw, size_t begin, size_t max_fields,
                                  Headers& headers);
// The value of one Content-Length.
std::optional<Refusal> ReadLength(const std::string& value, uint64_t& length);
struct ConnectionOptions {
  bool close = false, keep = false;
};
void ReadConnection(const std::string& value, ConnectionOptions& options);

}  // namespace http
