// Calls of the memory API (docs/memory-api.md) for commands: a status of 300 or more becomes an
// error with the server's message. And the last injections of a sidecar, for `why`, `status` and
// `show`. Knows no command and no terminal.
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
  // For new rows without a project; empty: the server's default.
  const std::string& project() const { return project_; }

  base::Result<base::Json> Get(const std::string& path, const Query& query = {}) const;
  base::Result<base::Json> Send(const std::string& method, const std::string& path,
                                const base::Json& body, const Query& query = {}) const;
  // The undecoded response of any type; large and slow requests set `timeout_ms`.
  base::Result<http::Response> Raw(http::ClientRequest request) const;
  // An answer was cut at a limit of the server (X-Partial).
  bool any_partial() const { return any_partial_; }

 private:
  http::Client& http_;
  const std::string url_, project_;
  mutable bool any_partial_ = false;
};

// Up to `most` answers of GET /v1/injections of the newest conversation that has any, newest turn
// first.
base::Result<base::Json> LastInjections(const MemoryCalls& sidecar, int64_t most);
// The injections of a memory in the newest 20 conversations and 200 turns, newest first: a list of
// {"at", "conversation", "turn", "query"}.
base::Result<base::Json> InjectionsOf(const MemoryCalls& sidecar, int64_t observation);

}  // namespace client
