// The address of an OpenAI-compatible endpoint, as the setting gives it. Pure.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace memory {

struct EndpointUrl {
  std::string base;  // https://host:port
  std::string path;  // of what is asked for
};

// "https://host/v1" as OpenAI's clients take it; /v1 and `resource`, as "/embeddings", are added
// when they are not there. kInvalid: no http(s) URL with a host, or with a user, a query or a
// fragment; the text is not repeated, since a user may have a password.
base::Result<EndpointUrl> ParseEndpointUrl(std::string url, const std::string& resource);

}  // namespace memory
