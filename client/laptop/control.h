// The supervisor's API for other commands: three routes on loopback. They require a token that only
// this user can read (run.json), so that no page in a browser can call them.
#pragma once

#include <memory>

#include "client/laptop/supervisor.h"
#include "lib/http/client/client.h"
#include "lib/http/server/server.h"

namespace client {

// Starts the server for `supervisor`; POST /v1/stop (`down`) calls `stop`.
base::Result<std::unique_ptr<http::Server>> StartControlServer(Supervisor& supervisor,
                                                               const std::string& token,
                                                               std::function<void()> stop);

// The client of the API.
class ControlClient {
 public:
  // Waits while the supervisor comes up or goes down. kNotFound: memory is not up; kTimeout: the
  // supervisor accepts connections and does not answer within `probe_ms`.
  static base::Result<ControlClient> Reach(const Home& home, int64_t probe_ms = kProbeMs);
  base::Result<Project> Use(const std::string& root, const std::string& name = "",
                            int64_t timeout_ms = kControlMs) const;
  base::Result<base::Json> Status() const;
  base::Status Stop() const;

 private:
  // A starting sidecar may wait for an old one that is still ending.
  static constexpr int64_t kControlMs = 75'000, kProbeMs = 1'000;
  explicit ControlClient(std::shared_ptr<http::Client> http) : http_(std::move(http)) {}
  base::Result<base::Json> Ask(const std::string& method, const std::string& path,
                               const base::Json& body, int64_t timeout_ms = kControlMs) const;
  std::shared_ptr<http::Client> http_;
};

}  // namespace client
