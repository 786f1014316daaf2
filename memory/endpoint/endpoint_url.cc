// Only splits the URL; the HTTP client validates the part before the path again.
#include "memory/endpoint/endpoint_url.h"

#include <algorithm>

namespace memory {

base::Result<EndpointUrl> ParseEndpointUrl(std::string url, const std::string& resource) {
  const base::Error invalid{base::Code::kInvalid,
                            "is not an address as https://api.openai.com/v1; it has no user, no "
                            "query and no fragment"};
  const bool known = url.starts_with("http://") || url.starts_with("https://");
  const bool clean = std::all_of(url.begin(), url.end(), [](char c) { return c > 32 && c < 127; });
  if (!known || !clean || url.find_first_of("@?#\"<>\\^`{|}") != std::string::npos) return invalid;
  const size_t host = url.find("://") + 3;
  while (url.size() > host && url.ends_with('/')) url.pop_back();
  const size_t path = std::min(url.find('/', host), url.size());
  if (host >= url.size() || path == host || url[host] == ':') return invalid;
  EndpointUrl parsed{url.substr(0, path), url.substr(path)};
  if (parsed.path.empty()) parsed.path = "/v1";
  if (!parsed.path.ends_with(resource)) parsed.path += resource;
  return parsed;
}

}  // namespace memory
