// All outbound HTTP (cpprestsdk inside client.cc, nowhere else). Calls block the caller's own
// thread.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "lib/http/message.h"

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
  int64_t idle_timeout_ms = 150'000;  // Stream: longest silence
  std::string user_agent = "agent-memory";
};

// Any thread. An HTTP status of any kind is a value; an error means that no whole answer came:
// kUnavailable (refused, reset, unresolved), kTimeout, kTooLarge. Redirects are not followed. One
// retry for GET, and for requests with an Idempotency-Key, when a reused connection turns out dead.
class Client {
 public:
  virtual ~Client() = default;
  virtual base::Result<Response> Send(const ClientRequest& request) = 0;

  // Reads a long answer piece by piece: `on_head` with status and headers (false ends), then
  // `on_bytes` (false ends). Returns at the end of the body, on silence (kTimeout), or soon after
  // `stop`.
  virtual base::Status Stream(const ClientRequest& request, std::stop_token stop,
                              std::function<bool(const Response& head)> on_head,
                              std::function<bool(std::string_view bytes)> on_bytes) = 0;
};

// Once per process, first thing in main: the number of threads of the library's pool. One is
// enough, since nothing blocks there, and with one a connection is back in its pool before the
// answer is handed on, so that the next call uses it. MakeClient does it when nobody did.
void InitializeClientThreads(size_t threads = 1);
base::Result<std::unique_ptr<Client>> MakeClient(ClientOptions options);

}  // namespace http
