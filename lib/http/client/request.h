// The request, the options of a client and the reader of a streamed answer, for the client and its
// parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/http/message/message.h"

namespace http {

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // path and query, already percent-encoded
  Headers headers;
  std::string body;
  int64_t timeout_ms = 10'000;  // of the whole call; of a stream: until the head
};

struct ClientOptions {
  std::string base_url;                       // http:// or https://, host and port
  std::string ca_file;                        // PEM; empty: the system's
  std::string certificate_file, key_file;     // a client certificate, PEM; both or neither
  std::function<std::string()> bearer_token;  // called per request; "": no Authorization header
  size_t max_response_bytes = 64 << 20;
  int64_t idle_timeout_ms = 150'000;  // of a stream: the longest silence
  std::string user_agent = "agent-memory";
};

// Receives an answer piece by piece. Callbacks run one at a time, on a thread that all streams of
// the client share: a blocking callback delays the other streams, but ends none of them.
struct StreamReader {
  std::function<bool(const Response& head)> on_head;     // first; false ends the stream
  std::function<bool(std::string_view bytes)> on_bytes;  // false ends the stream
  // Last, and once: ok at the end of the body or after on_head or on_bytes returned false;
  // kTimeout: no head in time, or silence.
  std::function<void(base::Status end)> on_end;
};

// An open stream. The end of the answer does not destroy it. The destructor ends the stream and
// waits for a running callback; no callback follows. Destroy it before its client, on any thread,
// but not in a callback of the same stream.
class OpenStream {
 public:
  virtual ~OpenStream() = default;
};

}  // namespace http
