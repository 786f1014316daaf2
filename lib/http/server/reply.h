// Turns a Response into the bytes of an HTTP/1.1 answer. Pure; sending is connection.h.
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
  bool http_1_0 = false;  // keep-alive has to be said there
};

// Status line and fields with the empty line behind them. Framing, Connection, Date and
// X-Request-Id are ours: a handler's own are dropped, and so is every field whose name is not a
// token. CR, LF and NUL in values become blanks.
std::string ReplyHead(const Response& response, std::string_view request_id,
                      const ReplyShape& shape);

// The answer for what is refused before a handler: {"error", "code"}.
Response RefusalResponse(int status, const std::string& reason);

std::string ChunkHead(size_t bytes);  // the size line of a chunk; CRLF has to follow its bytes
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace http
