// Authenticates callers: asks a TokenReviewer and caches its answers, so that a request costs no
// call to the cluster and callers survive a short outage of the API server. The cache holds hashes
// of tokens, never tokens.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

#include "lib/base/limits/lru.h"
#include "lib/base/process/clock.h"
#include "lib/telemetry/metrics.h"
#include "memory/identity/token_reviewer.h"

namespace memory {

struct Identified {
  int status = 200;  // or 401: nobody we know, 403: known and not let in, 503: cannot be known now
  Caller caller;     // with 200
  std::string message;  // else: why
};

class IdentityCheck {
 public:
  struct Options {
    std::vector<std::string> audiences;  // a token made for one of them is for us
    std::optional<Caller> anonymous;     // who comes without a token; nullopt: nobody may
    int64_t good_ms = 60'000;            // an answer is taken as true so long: a revoked token too
    int64_t bad_ms = 10'000;
    int64_t bridge_ms = 300'000;  // since the last good answer, while nobody can be asked
    int64_t pause_ms = 1'000;     // after a failure, before anybody is asked again
    size_t most_good = 4096, most_bad = 4096;  // answers remembered
    size_t most_reviews = 8;  // at once; half of them are for tokens that were good before
  };
  // All three outlive this.
  IdentityCheck(TokenReviewer& reviewer, const base::Clock& clock, telemetry::Metrics& metrics,
                Options options);
  // Any thread; blocks while the token is looked at, by one thread for all who show the same.
  Identified Identify(const http::Headers& headers);
  // The refusal of whom nobody has to be asked about: without a token, with one that is not for
  // this server or was refused a moment ago. Does not block.
  std::optional<Identified> RefusedAtOnce(const http::Headers& headers);

 private:
  struct Good {
    Caller caller;
    int64_t confirmed_ms = 0, fresh_until_ms = 0;  // monotonic
    int64_t expires_ms = 0;                        // wall clock; 0: never
  };
  struct Bad {
    Identified answer;
    int64_t until_ms = 0;  // monotonic
  };
  Identified Check(const std::string& token);
  Identified NoToken();
  Identified NotForUs();
  std::optional<Identified> Remembered(const std::string& key);
  Identified WithoutAnswer(const std::string& key);
  Identified Learn(const std::string& key, const base::Result<Review>& review,
                   const TokenClaims& claims);
  void NoteReachable(const base::Status& asked);
  Identified Counted(Identified answer, const char* outcome);

  TokenReviewer& reviewer_;
  const base::Clock& clock_;
  telemetry::Metrics& metrics_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  base::LruMap<Good> good_;  // apart from the bad ones: a flood of forgeries pushes nobody out
  base::LruMap<Bad> bad_;
  std::set<std::string> asking_;      // keys that a thread is asking about
  int64_t ask_again_ms_ = INT64_MIN;  // monotonic
  bool reachable_ = true;
};

}  // namespace memory
