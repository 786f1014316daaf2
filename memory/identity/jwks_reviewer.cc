// Checks signature, issuer, audience and time. Fetches the keys again for an unknown key id, and
// regularly.
#include "memory/identity/jwks_reviewer.h"

#include <algorithm>

#include "memory/identity/token_signature.h"

namespace memory {

using base::Json;
using base::Result;

namespace {

constexpr int64_t kKeysLiveMs = 3'600'000;  // a withdrawn key holds so long at most
constexpr int64_t kFetchEveryMs = 10'000;   // minimum interval, whatever key ids clients send
constexpr int64_t kClockMayDifferMs = 10'000;

bool HasKey(const PublishedKeys& published, const std::string& id) {
  return published.keys.is_array() &&
         std::any_of(published.keys.begin(), published.keys.end(),
                     [&](const Json& key) { return base::StringAt(key, {"kid"}) == id; });
}

Review Refused(const char* why) { return {false, "", why}; }

}  // namespace

Result<PublishedKeys> JwksTokenReviewer::KeysFor(const std::string& key_id) {
  std::lock_guard lock(mutex_);
  const int64_t now_ms = clock_.MonotonicMs();
  const bool have = fetched_ms_ != INT64_MIN && now_ms - fetched_ms_ < kKeysLiveMs;
  if (have && HasKey(known_, key_id)) return known_;
  const bool tried = tried_ms_ != INT64_MIN && now_ms - tried_ms_ < kFetchEveryMs;
  if (tried && have) return known_;
  if (tried)
    return base::Error{base::Code::kUnavailable, "the cluster's keys could not be fetched"};
  tried_ms_ = now_ms;
  auto fetched = fetch_();
  if (!fetched && have) return known_;
  if (!fetched) return fetched.error();
  known_ = std::move(*fetched);
  fetched_ms_ = now_ms;
  return known_;
}

Result<Review> JwksTokenReviewer::Look(const std::string& token) {
  auto claims = ReadClaims(token);
  if (!claims) return Review{false, "", claims.error().message};
  ASSIGN_OR_RETURN(const PublishedKeys published, KeysFor(claims->key_id));
  if (!HasKey(published, claims->key_id))
    return Refused("the token is signed with a key that the cluster does not publish");
  const bool is_signed =
      std::any_of(published.keys.begin(), published.keys.end(), [&](const Json& key) {
        return base::StringAt(key, {"kid"}) == claims->key_id && IsSignedBy(token, key);
      });
  if (!is_signed) return Refused("the token's signature is wrong");
  if (claims->issuer != published.issuer) return Refused("the token's issuer is another");
  if (!SharesOne(claims->audiences, audiences_)) return Refused("the token's audience is another");
  const int64_t now_ms = clock_.NowMs();
  if (claims->expires_ms == 0 || claims->expires_ms + kClockMayDifferMs <= now_ms)
    return Refused("the token has expired");
  if (claims->not_before_ms - kClockMayDifferMs > now_ms)
    return Refused("the token is not valid yet");
  return Review{true, claims->subject, ""};
}

}  // namespace memory
