// The way out to memory servers: one client per base URL, with the projected token. Knows no
// routes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "lib/base/guarded.h"
#include "lib/http/client.h"

namespace sidecar {

// Sends one request to the server at `base_url`; an HTTP status of any kind is a value.
using SendToServer =
    std::function<base::Result<http::Response>(const std::string& base_url, http::ClientRequest)>;

class MemoryServers {
 public:
  // `token_file`: read for each call, so that a rotated token is used at once; empty: no token is
  // sent. `is_for`: whether the token was made for the server at that URL; no other gets to see it.
  MemoryServers(std::string token_file, std::function<bool(const std::string& base_url)> is_for)
      : token_file_(std::move(token_file)), is_for_(std::move(is_for)) {}

  // Any thread. kUnavailable when `base_url` is empty (not resolved yet).
  base::Result<http::Response> Send(const std::string& base_url, http::ClientRequest request);
  SendToServer Sender() {
    return [this](const std::string& url, http::ClientRequest request) {
      return Send(url, std::move(request));
    };
  }

 private:
  base::Result<std::shared_ptr<http::Client>> ClientFor(const std::string& base_url);
  const std::string token_file_;
  const std::function<bool(const std::string&)> is_for_;
  base::Guarded<std::map<std::string, std::shared_ptr<http::Client>>> clients_;
};

}  // namespace sidecar
