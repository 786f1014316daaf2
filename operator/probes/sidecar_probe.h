// Asks a pod how it stands: its sidecar here, a memory server in memory_server_probe.h.
#pragma once

#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace controller {

struct SidecarReport {
  std::string digest;   // of the policy in force
  int64_t idle_ms = 0;  // since its agent asked it something; 0: a request is under way
};

// The JSON at http://<address><path>, inside a second. kUnavailable, kTimeout, or the code of the
// answer's status.
base::Result<base::Json> GetFromPod(const std::string& address, const std::string& path);
// "<pod IP>:<port>"; empty while it has no IP.
std::string PodAddress(const base::Json& pod, int port);

// From http://<address>/v1/policy, inside a second. kUnavailable, kTimeout; kInvalid: no digest in
// the answer.
base::Result<SidecarReport> ProbeSidecar(const std::string& address);

// Where that is for a pod: "<pod IP>:7438"; empty while the sidecar does not run.
std::string SidecarAddress(const base::Json& pod);

}  // namespace controller
