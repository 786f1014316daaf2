// The status of a MemoryServer: facts of the running server's report, and conditions. Pure.
#pragma once

#include <string>

#include "operator/memory_server/findings.h"
#include "operator/memory_server/observed_server.h"

namespace controller {

// The whole status. Facts of the running server stay while no server answers.
base::Json ServerStatusOf(const ObservedServer& observed, const ServerFindings& findings,
                          const std::string& cluster_domain, int64_t now_ms);
}  // namespace controller
