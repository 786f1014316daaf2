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
  int status = 200;     // or 401: not authenticated, 403: not permitted, 503: review unavailable
  Caller caller;        // with 200
  std::string message;  // else: the reason
};

class IdentityCheck {
 public:
  struct Options {
    std::vector<std::string> audiences;  // accepted ones
    std::optional<Caller> anonymous;     // the caller of requests without a token; nullopt: refused
    int64_t good_ms = 60'000;  // lifetime of cached answers: a revoked token holds so long
    int64_t bad_ms = 10'000;
    int64_t bridge_ms = 300'000;               // the same during an outage of reviews
    int64_t pause_ms = 1'000;                  // after a failure, before the next review
    size_t most_good = 4096, most_bad = 4096;  // cached answers
    size_t most_reviews = 8;  // concurrent; half are reserved for tokens that were good before
  };
  // All three outlive this.
  IdentityCheck(TokenReviewer& reviewer, const base::Clock& clock, telemetry::Metrics& metrics,
                Options options);
  // Any thread; blocks during a review, which runs once for all requests with the same token.
  Identified Identify(const http::Headers& headers);
  // The refusal of a request that needs no review: without a token, with one for another audience,
  // or with one that was just refused. Does not block.
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
  base::LruMap<Good> good_;  // separate from the bad ones, so that forgeries evict no good token
  base::LruMap<Bad> bad_;
  std::set<std::string> asking_;      // keys under review
  int64_t ask_again_ms_ = INT64_MIN;  // monotonic
  bool reachable_ = true;
};

}  // namespace memory
