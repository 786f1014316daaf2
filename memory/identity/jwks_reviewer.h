// Verifies tokens by the keys that the cluster publishes (JWKS), for a server without the right to
// review them. Weaker: a deleted pod's token stays valid until it expires.
#pragma once

#include <functional>
#include <mutex>

#include "lib/base/process/clock.h"
#include "memory/identity/token_reviewer.h"

namespace memory {

// The published issuer and keys of the cluster's ServiceAccount tokens.
struct PublishedKeys {
  std::string issuer;
  base::Json keys;  // the array of a JWK set
};

class JwksTokenReviewer : public TokenReviewer {
 public:
  // `fetch`: blocking, bounded. `clock` outlives this.
  JwksTokenReviewer(std::function<base::Result<PublishedKeys>()> fetch,
                    std::vector<std::string> audiences, const base::Clock& clock)
      : fetch_(std::move(fetch)), audiences_(std::move(audiences)), clock_(clock) {}
  base::Result<memory::Review> Look(const std::string& token) override;

 private:
  base::Result<PublishedKeys> KeysFor(const std::string& key_id);

  const std::function<base::Result<PublishedKeys>()> fetch_;
  const std::vector<std::string> audiences_;
  const base::Clock& clock_;
  std::mutex mutex_;
  PublishedKeys known_;
  int64_t tried_ms_ = INT64_MIN, fetched_ms_ = INT64_MIN;  // monotonic
};

}  // namespace memory
