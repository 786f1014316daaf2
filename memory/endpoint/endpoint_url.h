// Parses the URL of an OpenAI-compatible endpoint. Pure.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace memory {

struct EndpointUrl {
  std::string base;  // https://host:port
  std::string path;  // of the resource
};

// Accepts "https://host/v1" like OpenAI's clients; adds a missing /v1 and `resource` (such as
// "/embeddings"). kInvalid: no http(s) URL with a host, or one with a user, a query or a fragment;
// the error does not quote the URL, which may contain a password.
base::Result<EndpointUrl> ParseEndpointUrl(std::string url, const std::string& resource);

}  // namespace memory
