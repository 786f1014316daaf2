// The HTTP client of an OpenAI-compatible endpoint.
#pragma once

#include <memory>
#include <string>

#include "lib/http/client/client.h"

namespace memory {

struct EndpointAddress {
  std::string url;       // for ParseEndpointUrl; empty: no endpoint
  std::string model;     // its name there
  std::string key_file;  // read for each request; empty: `key`
  std::string key;       // empty too: no Authorization header
  std::string ca_file;   // PEM; empty: the system's
};

// Validates the settings (kInvalid) without a connection; messages begin with the setting, such as
// "embedding-url" for the prefix "embedding".
base::Status CheckEndpointAddress(const EndpointAddress& address, const std::string& prefix);

// The key, trimmed. Errors name the file.
base::Result<std::string> KeyOfEndpoint(const EndpointAddress& address);

// `base`: of ParseEndpointUrl. Requests have no key while the key file is unreadable.
base::Result<std::unique_ptr<http::Client>> MakeEndpointClient(const EndpointAddress& address,
                                                               std::string base,
                                                               int64_t idle_timeout_ms);

// A POST of JSON, which is safe to repeat: retries once on a connection that the server closed.
http::ClientRequest EndpointRequest(const std::string& path, std::string body, int64_t timeout_ms);

// Retry-After in whole seconds, at most an hour; 0: absent.
int64_t RetryAfterMs(const http::Response& answer);

}  // namespace memory
