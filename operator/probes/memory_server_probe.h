// Asks a running memory server how it stands, on its admin port.
#pragma once

#include <string>

#include "lib/api/server_report.h"

namespace controller {

// From http://<address>, inside a second. kUnavailable, kTimeout; kNotFound: a version that makes
// no report; kInvalid: no report in the answer.
base::Result<api::ServerReport> ProbeServer(const std::string& address);

// Where that is for a pod: "<pod IP>:7438"; empty while its server does not run.
// It is ready, was started again, or has had its time to get ready.
bool ShouldProbe(const base::Json& pod, int64_t now_ms);
std::string ServerAdminAddress(const base::Json& pod);

}  // namespace controller
