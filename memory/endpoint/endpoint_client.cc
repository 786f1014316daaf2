// Follows no redirects, so that only the configured address receives the key.
#include "memory/endpoint/endpoint_client.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "lib/base/process/file.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "memory/endpoint/endpoint_url.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr size_t kMostKeyBytes = 4096, kMostModelBytes = 200;

}  // namespace

Status CheckEndpointAddress(const EndpointAddress& address, const std::string& prefix) {
  if (address.url.empty()) return {};
  if (auto url = ParseEndpointUrl(address.url, ""); !url)
    return base::Wrap(prefix + "-url", url.error());
  if (address.model.empty() || address.model.size() > kMostModelBytes)
    return Error{Code::kInvalid, prefix + "-model: is a name of 1 to 200 bytes"};
  return {};
}

Result<std::string> KeyOfEndpoint(const EndpointAddress& address) {
  if (address.key_file.empty()) return address.key;
  ASSIGN_OR_RETURN(const std::string read, base::ReadFile(address.key_file, kMostKeyBytes));
  const std::string key(base::Trim(read));
  if (key.empty()) return Error{Code::kInvalid, address.key_file + " holds no key"};
  return key;
}

Result<std::unique_ptr<http::Client>> MakeEndpointClient(const EndpointAddress& address,
                                                         std::string base,
                                                         int64_t idle_timeout_ms) {
  http::ClientOptions client;
  client.base_url = std::move(base);
  client.ca_file = address.ca_file;
  client.idle_timeout_ms = idle_timeout_ms;
  client.bearer_token = [address] { return KeyOfEndpoint(address).value_or(""); };
  return http::MakeClient(std::move(client));
}

http::ClientRequest EndpointRequest(const std::string& path, std::string body, int64_t timeout_ms) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = path;
  request.timeout_ms = timeout_ms;
  request.headers.Add("Accept", "application/json");
  request.headers.Add("Idempotency-Key", base::RandomUuid());
  request.body = std::move(body);
  return request;
}

int64_t RetryAfterMs(const http::Response& answer) {
  const std::string text = answer.headers.Get("Retry-After").value_or("");
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp<int64_t>(seconds, 0, 3600) * 1000;
}

}  // namespace memory
