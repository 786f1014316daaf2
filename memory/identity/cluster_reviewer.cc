// Short timeouts, since an agent in the middle of a turn waits for the review.
#include "memory/identity/cluster_reviewer.h"

#include "lib/base/process/log.h"

namespace memory {

using base::Json;
using base::Result;

namespace {

constexpr int64_t kReviewTimeoutMs = 3'000;
constexpr int64_t kAskAgainMs = 60'000;  // between tries of a denied TokenReview

}  // namespace

Result<std::unique_ptr<ClusterTokenReviewer>> ClusterTokenReviewer::Make(
    const std::string& kubeconfig, const std::vector<std::string>& audiences,
    const base::Clock& clock) {
  ASSIGN_OR_RETURN(kube::ClusterConfig config, kube::FindClusterConfig(kubeconfig));
  kube::ClientSettings settings;
  settings.timeout_ms = kReviewTimeoutMs;
  std::unique_ptr<ClusterTokenReviewer> way(new ClusterTokenReviewer(clock));
  ASSIGN_OR_RETURN(way->connection_,
                   kube::Connection::Make(std::move(config), std::move(settings),
                                          "agent-memory-server/" AGENT_MEMORY_VERSION));
  way->by_api_ = std::make_unique<ApiTokenReviewer>(way->connection_->client(), audiences);
  way->by_keys_ = std::make_unique<JwksTokenReviewer>(
      [way = way.get()] { return way->FetchKeys(); }, audiences, clock);
  return way;
}

Result<Review> ClusterTokenReviewer::Look(const std::string& token) {
  if (clock_.MonotonicMs() >= denied_until_ms_) {
    auto review = by_api_->Look(token);
    const bool denied = !review && review.error().code == base::Code::kDenied;
    if (review || denied) by_keys_alone_ = denied;
    if (!denied) return review;
    if (denied_until_ms_.exchange(clock_.MonotonicMs() + kAskAgainMs) == INT64_MIN) {
      base::LogWarn(
          "the API server reviews no tokens for this server (a ClusterRoleBinding to "
          "system:auth-delegator is missing); the server checks them with the cluster's published "
          "keys: a deleted pod's token stays valid until it expires",
          {{"reason", review.error().message}});
    }
  }
  return by_keys_->Look(token);
}

// Every ServiceAccount may read both (ClusterRole system:service-account-issuer-discovery).
Result<PublishedKeys> ClusterTokenReviewer::FetchKeys() {
  kube::KubeClient& client = connection_->client();
  ASSIGN_OR_RETURN(Json about, client.GetPath("/.well-known/openid-configuration"));
  ASSIGN_OR_RETURN(Json set, client.GetPath("/openid/v1/jwks", "application/jwk-set+json"));
  const Json* keys = base::At(set, {"keys"});
  if (!keys || !keys->is_array())
    return base::Error{base::Code::kUnavailable, "the API server's answer is no set of keys"};
  return PublishedKeys{base::StringAt(about, {"issuer"}), *keys};
}

}  // namespace memory
