// The cache in front of token reviews, with one concurrent review per token.
#include "memory/identity/identity_check.h"

#include <algorithm>
#include <chrono>

#include "lib/base/process/log.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Result;

namespace {

constexpr auto kLongestCheck = std::chrono::seconds(10);  // for another thread's review
constexpr int64_t kShortestGoodMs = 1'000;  // this clock may be ahead of the API server's

constexpr const char* kNobodyAnswers =
    "cannot verify your token: the Kubernetes API server does not answer; try again";

}  // namespace

IdentityCheck::IdentityCheck(TokenReviewer& reviewer, const base::Clock& clock,
                             telemetry::Metrics& metrics, Options options)
    : reviewer_(reviewer),
      clock_(clock),
      metrics_(metrics),
      options_(std::move(options)),
      good_(options_.most_good),
      bad_(options_.most_bad) {}

Identified IdentityCheck::Counted(Identified answer, const char* outcome) {
  metrics_.Count("agent_memory_server_identities_total", {{"outcome", outcome}});
  return answer;
}

Identified IdentityCheck::Identify(const http::Headers& headers) {
  auto token = BearerToken(headers);
  if (!token) return Counted({401, {}, token.error().message}, "refused");
  if (*token) return Check(**token);
  if (options_.anonymous) return Counted({200, *options_.anonymous, ""}, "anonymous");
  return NoToken();
}

Identified IdentityCheck::NoToken() {
  return Counted({401,
                  {},
                  "no identity: send the token of a ServiceAccount with audience " +
                      base::Join(options_.audiences, " or ") + " as Authorization: Bearer"},
                 "missing");
}

Identified IdentityCheck::NotForUs() {
  return Counted({401,
                  {},
                  "the token was not made for this server: its audience must be " +
                      base::Join(options_.audiences, " or ")},
                 "refused");
}

std::optional<Identified> IdentityCheck::RefusedAtOnce(const http::Headers& headers) {
  const auto token = BearerToken(headers);
  if (!token) return Counted({401, {}, token.error().message}, "refused");
  if (!*token) return options_.anonymous ? std::nullopt : std::optional(NoToken());
  const std::string key = base::Sha256Hex(**token);
  {
    std::lock_guard lock(mutex_);
    const int64_t now_ms = clock_.MonotonicMs();
    if (const Bad* bad = bad_.Find(key); bad && now_ms < bad->until_ms)
      return Counted(bad->answer, "refused");
    if (good_.Find(key)) return std::nullopt;
  }
  const Result<TokenClaims> claims = ReadClaims(**token);
  if (!claims) return Counted({401, {}, claims.error().message}, "refused");
  if (!SharesOne(claims->audiences, options_.audiences)) return NotForUs();
  return std::nullopt;
}

Identified IdentityCheck::Check(const std::string& token) {
  const std::string key = base::Sha256Hex(token);
  std::unique_lock lock(mutex_);
  if (auto known = Remembered(key)) return *known;
  lock.unlock();
  // Tokens for other audiences cost the API server no review.
  Result<TokenClaims> claims = ReadClaims(token);
  if (!claims) return Counted({401, {}, claims.error().message}, "refused");
  if (!SharesOne(claims->audiences, options_.audiences)) return NotForUs();
  lock.lock();
  while (true) {
    if (auto known = Remembered(key)) return *known;
    if (!asking_.contains(key)) break;
    if (wake_.wait_for(lock, kLongestCheck) == std::cv_status::timeout) return WithoutAnswer(key);
  }
  const size_t most = good_.Find(key) ? options_.most_reviews : options_.most_reviews / 2;
  if (clock_.MonotonicMs() < ask_again_ms_ || asking_.size() >= most) return WithoutAnswer(key);
  asking_.insert(key);
  lock.unlock();
  const Result<Review> review = reviewer_.Look(token);
  lock.lock();
  asking_.erase(key);
  wake_.notify_all();
  return Learn(key, review, *claims);
}

std::optional<Identified> IdentityCheck::Remembered(const std::string& key) {
  const int64_t now_ms = clock_.MonotonicMs();
  if (const Good* good = good_.Find(key); good && now_ms < good->fresh_until_ms)
    return Counted({200, good->caller, ""}, "remembered");
  if (const Bad* bad = bad_.Find(key); bad && now_ms < bad->until_ms)
    return Counted(bad->answer, "refused");
  return std::nullopt;
}

Identified IdentityCheck::WithoutAnswer(const std::string& key) {
  const Good* good = good_.Find(key);
  if (!good) return Counted({503, {}, kNobodyAnswers}, "unavailable");
  const bool expired = good->expires_ms != 0 && clock_.NowMs() >= good->expires_ms;
  if (expired || clock_.MonotonicMs() - good->confirmed_ms >= options_.bridge_ms)
    return Counted({503, {}, kNobodyAnswers}, "unavailable");
  return Counted({200, good->caller, ""}, "bridged");
}

Identified IdentityCheck::Learn(const std::string& key, const Result<Review>& review,
                                const TokenClaims& claims) {
  const int64_t expires_ms = claims.expires_ms;
  const int64_t now_ms = clock_.MonotonicMs();
  NoteReachable(review ? base::Status() : base::Status(review.error()));
  if (!review) {
    ask_again_ms_ = now_ms + options_.pause_ms;
    return WithoutAnswer(key);
  }
  std::optional<Caller> caller;
  if (review->authenticated) caller = ServiceAccountOf(review->user);
  if (caller) {
    caller->of_pod = claims.of_pod;
    int64_t fresh_ms = options_.good_ms;
    if (expires_ms != 0)
      fresh_ms = std::clamp(expires_ms - clock_.NowMs(), kShortestGoodMs, options_.good_ms);
    bad_.Erase(key);
    good_.Put(key, {*caller, now_ms, now_ms + fresh_ms, expires_ms});
    return Counted({200, *caller, ""}, "reviewed");
  }
  const Identified refused = review->authenticated
                                 ? Identified{403,
                                              {},
                                              "this token does not belong to a ServiceAccount; "
                                              "only ServiceAccounts can use "
                                              "this server"}
                                 : Identified{401, {}, review->reason};
  good_.Erase(key);
  bad_.Put(key, {refused, now_ms + options_.bad_ms});
  return Counted(refused, review->authenticated ? "forbidden" : "refused");
}

void IdentityCheck::NoteReachable(const base::Status& asked) {
  if (asked.has_value() == reachable_) return;
  reachable_ = asked.has_value();
  if (reachable_) {
    base::LogInfo("tokens are reviewed again");
  } else {
    base::LogError("tokens cannot be reviewed; callers known from before are served for a while",
                   {{"reason", asked.error().message}});
  }
}

}  // namespace memory
