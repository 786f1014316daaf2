// A client of a real API server with all that it stands on: addresses, certificates, token, HTTP.
#pragma once

#include <memory>
#include <string>

#include "lib/kube/client/cluster_config.h"
#include "lib/kube/client/kube_client.h"

namespace kube {

class Connection {
 public:
  // Prepares the connection; nothing is sent yet. `user_agent`: name/version, seen in the audit
  // log.
  static base::Result<std::unique_ptr<Connection>> Make(ClusterConfig config,
                                                        ClientSettings settings,
                                                        std::string user_agent);
  KubeClient& client() { return *client_; }
  // Another client of the same server, which pauses and writes by its own settings. This must
  // outlive it.
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
