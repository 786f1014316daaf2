// Address and credentials of an API server, from a kubeconfig file or the files of a pod's
// ServiceAccount. kube_client.h makes the calls.
#pragma once

#include <memory>
#include <string>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/base/result.h"

namespace kube {

struct ClusterConfig {
  std::string server;                      // https://host:port
  std::string ca_file;                     // empty: the system's authorities
  std::string certificate_file, key_file;  // both or neither
  std::string token;                       // fixed
  std::string token_file;                  // overrides `token`; read again by TokenSource
  std::string name_space;                  // of the context or of the pod; empty: unknown
  std::shared_ptr<const void> files;       // keeps the files above alive
};

// The current context of a kubeconfig; relative file names count from its folder. kInvalid names a
// missing or unsupported field (exec, auth-provider, username, as, insecure-skip-tls-verify,
// tls-server-name, proxy-url, a server with a path).
base::Result<ClusterConfig> ReadKubeconfig(const std::string& path);

// From KUBERNETES_SERVICE_HOST and _PORT and `directory`/{token,ca.crt,namespace}. kNotFound:
// outside of a pod, with a hint.
base::Result<ClusterConfig> InClusterConfig(
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

// The configuration of the file `kubeconfig`, if not empty, else that of the pod.
base::Result<ClusterConfig> FindClusterConfig(const std::string& kubeconfig);

// A bearer token from a file that is rotated: projected ServiceAccount tokens change hourly.
class TokenSource {
 public:
  // `file` empty: always `fixed`. `clock` must outlive this.
  TokenSource(std::string fixed, std::string file, const base::Clock& clock = base::SystemClock());

  // Reads the file again if the last read is older than 60 s; an unreadable or empty file keeps the
  // old token. Any thread.
  std::string Token();
  // After a 401: Token() reads the file again. False: no file, so a retry is useless.
  bool Distrust();

 private:
  struct Cached {
    std::string token;
    int64_t read_ms = 0;
    bool fresh = false;
  };
  const std::string file_;
  const base::Clock& clock_;
  base::Guarded<Cached> cached_;
};

}  // namespace kube
