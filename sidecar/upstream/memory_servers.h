// Calls memory servers: one client and one health per base URL, with the projected token. Knows no
// routes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/http/client/client.h"
#include "sidecar/upstream/server_health.h"

namespace sidecar {

// Sends one request to the server at `base_url`; an HTTP status of any kind is a value.
using SendToServer =
    std::function<base::Result<http::Response>(const std::string& base_url, http::ClientRequest)>;

class MemoryServers {
 public:
  struct Options {
    // Read for each call, so that a rotated token is used at once; empty: no token is sent.
    std::string token_file;
    // Whether the token is for the server at that URL; other servers get none.
    std::function<bool(const std::string& base_url)> token_is_for;
    // Called when a server answers again, on the thread of that call.
    std::function<void()> on_back = [] {};
    std::function<base::Result<std::unique_ptr<http::Client>>(http::ClientOptions)> make_client =
        http::MakeClient;
    size_t max_clients = 8;  // LRU
  };
  MemoryServers(Options options, const base::Clock& clock)
      : options_(std::move(options)), clock_(clock) {}

  // Any thread. kUnavailable: `base_url` is empty (not resolved yet), no answer came, or the
  // circuit breaker is open, which costs no time.
  base::Result<http::Response> Send(const std::string& base_url,
                                    const http::ClientRequest& request);
  SendToServer Sender() {
    return [this](const std::string& url, const http::ClientRequest& request) {
      return Send(url, request);
    };
  }
  // Whether Send would refuse a call of this timeout by the circuit breaker.
  bool Refuses(const std::string& base_url, int64_t patience_ms) const;
  bool IsAway(const std::string& base_url) const;
  bool IsSlow(const std::string& base_url) const;  // for recalls; true also when it is away

 private:
  struct Server {
    std::unique_ptr<http::Client> client;
    ServerHealth health;
  };
  struct Known {
    std::shared_ptr<Server> server;
    uint64_t used = 0;
  };
  struct Servers {
    std::map<std::string, Known> known;
    uint64_t uses = 0;
  };
  base::Result<std::shared_ptr<Server>> ServerAt(const std::string& base_url);
  std::shared_ptr<Server> Find(const std::string& base_url) const;  // null: not called yet

  const Options options_;
  const base::Clock& clock_;
  mutable base::Guarded<Servers> servers_;
};

}  // namespace sidecar
