// The connection to the cluster's API server over which tokens are reviewed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/kube/connection.h"
#include "memory/review_by_api.h"

namespace memory {

class WayToCluster {
 public:
  // `kubeconfig` empty: as the pod's ServiceAccount. Nothing is sent yet.
  static base::Result<std::unique_ptr<WayToCluster>> Make(const std::string& kubeconfig,
                                                          std::vector<std::string> audiences);
  TokenReviewer& reviewer() { return *by_api_; }

 private:
  WayToCluster() = default;
  std::unique_ptr<kube::Connection> connection_;
  std::unique_ptr<ReviewByApi> by_api_;
};

}  // namespace memory
