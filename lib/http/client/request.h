// What a call asks for, how its client is set up, and who reads a streamed answer: shared by the
// client and its parts.
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
  int64_t timeout_ms = 10'000;  // for the whole call
};

struct ClientOptions {
  std::string base_url;                       // http:// or https://, host and port
  std::string ca_file;                        // PEM; empty: the system's
  std::string certificate_file, key_file;     // a client certificate, PEM; both or neither
  std::function<std::string()> bearer_token;  // asked per call; empty text: no Authorization header
  size_t max_response_bytes = 64 << 20;
  int64_t idle_timeout_ms = 150'000;  // of a stream: longest silence
  std::string user_agent = "agent-memory";
};

// Who reads an answer piece by piece. Told one thing after the other, on a thread that all streams
// of the client share: what blocks in here keeps the others waiting, though it ends none of them.
struct StreamReader {
  std::function<bool(const Response& head)> on_head;     // first; false ends
  std::function<bool(std::string_view bytes)> on_bytes;  // false ends
  // Last, and once: good at the end of the body or when one of the above ended it; kTimeout: no
  // head in time, or silence.
  std::function<void(base::Status end)> on_end;
};

// A stream while it is not destroyed. Its end does not destroy it; destroying it ends it, waits for
// what is just being told, and nothing is told any more. On any thread, but by nothing that is told
// of itself. Before its client.
class OpenStream {
 public:
  virtual ~OpenStream() = default;
};

}  // namespace http
