// The connection to the cluster's API server over which tokens are reviewed: one by one where that
// is allowed (ClusterRole system:auth-delegator), else by the keys that the cluster publishes.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/client/connection.h"
#include "memory/identity/api_reviewer.h"
#include "memory/identity/jwks_reviewer.h"

namespace memory {

class ClusterTokenReviewer : public TokenReviewer {
 public:
  // `kubeconfig` empty: as the pod's ServiceAccount. Nothing is sent yet. `clock` outlives this.
  static base::Result<std::unique_ptr<ClusterTokenReviewer>> Make(
      const std::string& kubeconfig, const std::vector<std::string>& audiences,
      const base::Clock& clock);
  base::Result<memory::Review> Look(const std::string& token) override;
  kube::KubeClient& client() { return connection_->client(); }  // with the time-out of a review
  bool ByKeys() const { return by_keys_alone_; }  // the last review that was tried was denied

 private:
  explicit ClusterTokenReviewer(const base::Clock& clock) : clock_(clock) {}
  base::Result<PublishedKeys> FetchKeys();

  const base::Clock& clock_;
  std::unique_ptr<kube::Connection> connection_;
  std::unique_ptr<ApiTokenReviewer> by_api_;
  std::unique_ptr<JwksTokenReviewer> by_keys_;
  std::atomic<bool> by_keys_alone_ = false;
  std::atomic<int64_t> denied_until_ms_ = INT64_MIN;  // monotonic: when to try by_api_ again
};

}  // namespace memory
