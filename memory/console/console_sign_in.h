// Signing in to the console with --auth kubernetes: the page sends a token once and gets a random
// cookie, which stands for it here for an hour at most. So the browser keeps no token, and no
// address has one.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/limits/lru.h"
#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"
#include "lib/http/server/options.h"
#include "memory/identity/identity_check.h"

namespace memory {

class ConsoleSignIn {
 public:
  // Both outlive this.
  ConsoleSignIn(IdentityCheck& identities, const base::Clock& clock)
      : identities_(identities), clock_(clock), sessions_(kMostSessions) {}

  // POST /ui/session {"token"} begins a session, if the token is one for this server; DELETE ends
  // it.
  std::vector<http::Route> Routes();
  // Gives requests with a session's cookie its token, before all other checks of `options`; one
  // with a header Authorization stays as it is. 403 for one that another page sent.
  void Guard(http::ServerOptions& options);
  // "namespace/account" of a request that Guard has passed; empty: nobody is signed in.
  std::string Who(const http::Request& request) const;

 private:
  static constexpr size_t kMostSessions = 256;
  struct Session {
    std::string token;
    int64_t expires_ms = 0;  // since 1970
  };
  http::Response Begin(const http::Request& request);
  http::Response End(const http::Request& request);
  std::optional<http::Response> Admit(http::Request& request);

  IdentityCheck& identities_;
  const base::Clock& clock_;
  std::mutex mutex_;
  base::LruMap<Session> sessions_;  // by digests of their cookies
};

}  // namespace memory
