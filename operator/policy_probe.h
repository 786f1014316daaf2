// Asks a pod's sidecar how it stands.
#pragma once

#include <string>

#include "lib/base/json.h"
#include "lib/base/result.h"

namespace controller {

struct SidecarLook {
  std::string digest;    // of the policy in force
  int64_t quiet_ms = 0;  // since its agent asked it something; 0: a request is under way
};

// From http://<address>/v1/policy, inside a second. kUnavailable, kTimeout; kInvalid: no digest in
// the answer.
base::Result<SidecarLook> LookAtSidecar(const std::string& address);

// Where that is for a pod: "<pod IP>:7438"; empty while the sidecar does not run.
std::string SidecarAddress(const base::Json& pod);

}  // namespace controller
