// Asks a pod's sidecar which policy it has in force.
#pragma once

#include <string>

#include "lib/base/json.h"
#include "lib/base/result.h"

namespace controller {

// Digest from http://<address>/v1/policy, inside a second. kUnavailable, kTimeout; kInvalid: no
// digest in the answer.
base::Result<std::string> ReadPolicyDigest(const std::string& address);

// Where that is for a pod: "<pod IP>:7438"; empty while the sidecar does not run.
std::string SidecarAddress(const base::Json& pod);

}  // namespace controller
