// How other commands reach the supervisor: three routes on loopback that ask for a token, which
// only this user can read (run.json). A page in a browser knows none.
#pragma once

#include <memory>

#include "client/laptop/supervisor.h"
#include "lib/http/client/client.h"
#include "lib/http/server/server.h"

namespace client {

// The server that answers for `supervisor`; `stop` is called when somebody says `down`.
base::Result<std::unique_ptr<http::Server>> StartFront(Supervisor& supervisor,
                                                       const std::string& token,
                                                       std::function<void()> stop);

// The same from the other side. kNotFound: memory is not up.
class Front {
 public:
  static base::Result<Front> Reach(const Home& home);
  base::Result<Project> Use(const std::string& root, const std::string& name = "",
                            int64_t timeout_ms = kFrontMs) const;
  base::Result<base::Json> Standing() const;
  base::Status Stop() const;

 private:
  // A sidecar that starts may wait for one that still ends.
  static constexpr int64_t kFrontMs = 75'000;
  explicit Front(std::shared_ptr<http::Client> http) : http_(std::move(http)) {}
  base::Result<base::Json> Ask(const std::string& method, const std::string& path,
                               const base::Json& body, int64_t timeout_ms = kFrontMs) const;
  std::shared_ptr<http::Client> http_;
};

}  // namespace client
