// Short calls: whoever waits for one is an agent in the middle of a turn.
#include "memory/way_to_cluster.h"

namespace memory {

namespace {

constexpr int64_t kReviewTimeoutMs = 3'000;

}  // namespace

base::Result<std::unique_ptr<WayToCluster>> WayToCluster::Make(const std::string& kubeconfig,
                                                               std::vector<std::string> audiences) {
  ASSIGN_OR_RETURN(kube::ClusterConfig config, kube::FindClusterConfig(kubeconfig));
  kube::ClientSettings settings;
  settings.timeout_ms = kReviewTimeoutMs;
  std::unique_ptr<WayToCluster> way(new WayToCluster());
  ASSIGN_OR_RETURN(way->connection_,
                   kube::Connection::Make(std::move(config), std::move(settings),
                                          "agent-memory-server/" AGENT_MEMORY_VERSION));
  way->by_api_ = std::make_unique<ReviewByApi>(way->connection_->client(), std::move(audiences));
  return way;
}

}  // namespace memory
