// Reads the reports of running pods: a sidecar's policy in force, a memory server's figures.
#pragma once

#include <string>

#include "lib/api/server_report.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace controller {

struct SidecarReport {
  std::string digest;   // of the policy in force
  int64_t idle_ms = 0;  // since its agent's last request; 0: one is running
};

// Reads http://<address>/v1/policy, within a second. kUnavailable, kTimeout; kInvalid: no digest in
// the answer.
base::Result<SidecarReport> ProbeSidecar(const std::string& address);

// The address of a pod's sidecar, "<pod IP>:7438"; empty while the sidecar does not run.
std::string SidecarAddress(const base::Json& pod);

// Reads the report from http://<address>, within a second. kUnavailable, kTimeout; kNotFound: a
// version without reports; kInvalid: no report in the answer.
base::Result<api::ServerReport> ProbeServer(const std::string& address);

// Whether the server is ready, was restarted, or has run for two minutes.
bool ShouldProbe(const base::Json& pod, int64_t now_ms);
// The address of a pod's server, "<pod IP>:7438"; empty while the server does not run.
std::string ServerAdminAddress(const base::Json& pod);

}  // namespace controller
