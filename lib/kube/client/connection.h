// Owns a client of a real API server with its configuration, token source and HTTP client.
#pragma once

#include <memory>
#include <string>

#include "lib/kube/client/cluster_config.h"
#include "lib/kube/client/kube_client.h"

namespace kube {

class Connection {
 public:
  // Prepares the connection; sends nothing. `user_agent`: name/version, for the server's audit log.
  static base::Result<std::unique_ptr<Connection>> Make(ClusterConfig config,
                                                        ClientSettings settings,
                                                        std::string user_agent);
  KubeClient& client() { return *client_; }
  // Another client over the same HTTP client, with its own settings and Retry-After pauses. This
  // must outlive the other client.
  std::unique_ptr<KubeClient> NewClient(ClientSettings settings);
  const ClusterConfig& config() const { return config_; }

 private:
  Connection(ClusterConfig config);
  const ClusterConfig config_;
  TokenSource token_;
  std::unique_ptr<http::Client> http_;
  std::unique_ptr<KubeClient> client_;
};

}  // namespace kube
