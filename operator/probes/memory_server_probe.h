// Reads the report of a running memory server from its admin port.
#pragma once

#include <string>

#include "lib/api/server_report.h"

namespace controller {

// Reads it from http://<address>, within a second. kUnavailable, kTimeout; kNotFound: a version
// without reports; kInvalid: no report in the answer.
base::Result<api::ServerReport> ProbeServer(const std::string& address);

// Whether the server is ready, was restarted, or has run for two minutes.
bool ShouldProbe(const base::Json& pod, int64_t now_ms);
// The address of a pod's server, "<pod IP>:7438"; empty while the server does not run.
std::string ServerAdminAddress(const base::Json& pod);

}  // namespace controller
