// Calls of the memory API (docs/memory-api.md) for commands: an answer that is no success becomes
// an error with the server's own words. Knows no command and no terminal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/http/client/client.h"

namespace client {

using Query = std::vector<std::pair<std::string, std::string>>;  // empty values are left out

std::string Target(std::string path, const Query& query);

class MemoryCalls {
 public:
  MemoryCalls(http::Client& http, std::string url, std::string project = "")
      : http_(http), url_(std::move(url)), project_(std::move(project)) {}
  const std::string& url() const { return url_; }
  const std::string& project() const {
    return project_;
  }  // of what is added without one; empty: the server's default

  base::Result<base::Json> Get(const std::string& path, const Query& query = {}) const;
  base::Result<base::Json> Send(const std::string& method, const std::string& path,
                                const base::Json& body, const Query& query = {}) const;
  // As it came, whatever it is; large and slow ones are given `timeout_ms`.
  base::Result<http::Response> Raw(http::ClientRequest request) const;

 private:
  http::Client& http_;
  const std::string url_, project_;
};

}  // namespace client
