// How an OpenAI-compatible endpoint is reached, whatever it is asked for.
#pragma once

#include <memory>
#include <string>

#include "lib/http/client/client.h"

namespace memory {

struct EndpointAddress {
  std::string url;       // as ParseEndpointUrl takes it; empty: no endpoint is asked
  std::string model;     // its name there
  std::string key_file;  // read for each request; empty: `key`
  std::string key;       // empty too: no Authorization header
  std::string ca_file;   // PEM; empty: the system's
};

// kInvalid: cannot be asked; the message begins with the setting, as "embedding-url" of the prefix
// "embedding". Opens nothing.
base::Status CheckEndpointAddress(const EndpointAddress& address, const std::string& prefix);

// The key, without white space around it. Errors name the file.
base::Result<std::string> KeyOfEndpoint(const EndpointAddress& address);

// `base`: of ParseEndpointUrl. A key file that cannot be read at a request sends no key.
base::Result<std::unique_ptr<http::Client>> MakeEndpointClient(const EndpointAddress& address,
                                                               std::string base,
                                                               int64_t idle_timeout_ms);

// A POST of JSON. Asking twice does no harm: a connection that was closed meanwhile is worth one
// more try.
http::ClientRequest EndpointRequest(const std::string& path, std::string body, int64_t timeout_ms);

// What Retry-After asks for, in whole seconds, at most an hour; 0: nothing.
int64_t RetryAfterMs(const http::Response& answer);

}  // namespace memory
