// Encodes the head and chunk sizes of an HTTP/1.1 answer. Pure; exchange.h sends.
#pragma once

#include <string>
#include <string_view>

#include "lib/http/message/message.h"

namespace http {

enum class BodyFraming {
  kCounted,  // Content-Length
  kChunked,
  kUntilClose,  // HTTP/1.0: the end of the connection is the end of the body
  kHeadOnly,    // answer to HEAD: Content-Length, and no body
};

struct ReplyShape {
  BodyFraming framing = BodyFraming::kCounted;
  bool keep_alive = true;
  bool http_1_0 = false;  // keep-alive then needs a header
};

// Status line and fields, with the empty line. Sets framing, Connection, Date and X-Request-Id, and
// drops a handler's own ones, like fields whose names have other characters than letters, digits,
// '-', '_' and '.'. CR, LF and NUL in values become blanks.
std::string ReplyHead(const Response& response, std::string_view request_id,
                      const ReplyShape& shape);

// The answer to a refused or failed request: {"error", "code"}.
Response RefusalResponse(int status, const std::string& reason);

std::string ChunkHead(size_t bytes);  // the size line of a chunk; CRLF must follow its bytes
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace http
