// Reads the report of a pod's sidecar; memory_server_probe.h reads that of a memory server.
#pragma once

#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace controller {

struct SidecarReport {
  std::string digest;   // of the policy in force
  int64_t idle_ms = 0;  // since its agent's last request; 0: one is running
};

// Reads JSON from http://<address><path>, within a second. kUnavailable, kTimeout, or the code of
// the answer's status.
base::Result<base::Json> GetFromPod(const std::string& address, const std::string& path);
// "<pod IP>:<port>"; empty while it has no IP.
std::string PodAddress(const base::Json& pod, int port);

// Reads http://<address>/v1/policy, within a second. kUnavailable, kTimeout; kInvalid: no digest in
// the answer.
base::Result<SidecarReport> ProbeSidecar(const std::string& address);

// The address of a pod's sidecar, "<pod IP>:7438"; empty while the sidecar does not run.
std::string SidecarAddress(const base::Json& pod);

}  // namespace controller
