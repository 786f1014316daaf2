// How to reach an API server: from a kubeconfig file or from the files of a pod's ServiceAccount.
// Not the calls themselves: kube_client.h.
#pragma once

#include <memory>
#include <string>

#include "lib/base/result.h"

namespace kube {

// Keeps certificates that the kubeconfig has inline as files, because TLS libraries want files.
class PrivateFiles;  // private_files.h

struct ClusterConfig {
  std::string server;                      // https://host:port
  std::string ca_file;                     // empty: the system's authorities
  std::string certificate_file, key_file;  // both or neither
  std::string token;                       // fixed
  std::string token_file;                  // wins over `token`; read again when it may have changed
  std::string name_space;                  // of the context or of the pod; empty: none said
  std::shared_ptr<const PrivateFiles> files;  // keeps the files above alive
};

// The current context of a kubeconfig. kInvalid names what is missing or not supported (exec and
// auth-provider plug-ins, insecure-skip-tls-verify, tls-server-name, passwords); relative file
// names count from the kubeconfig's folder.
base::Result<ClusterConfig> ReadKubeconfig(const std::string& path);

// From KUBERNETES_SERVICE_HOST and _PORT and `directory`/{token,ca.crt,namespace}. kNotFound
// outside of a pod, with a hint.
base::Result<ClusterConfig> InClusterConfig(
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

// `kubeconfig` if not empty, else the pod's.
base::Result<ClusterConfig> FindClusterConfig(const std::string& kubeconfig);

}  // namespace kube
