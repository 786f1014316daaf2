// Like sidecar_probe.cc, for the container of a memory server.
#include "operator/probes/memory_server_probe.h"

#include "lib/base/process/clock.h"
#include "lib/kube/object/object.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"
#include "operator/pods/state.h"
#include "operator/probes/sidecar_probe.h"

namespace controller {

constexpr int64_t kStartsWithinMs = 120'000;

base::Result<api::ServerReport> ProbeServer(const std::string& address) {
  ASSIGN_OR_RETURN(base::Json body, GetFromPod(address, api::kServerReportPath));
  return api::DecodeServerReport(body);
}

bool ShouldProbe(const base::Json& pod, int64_t now_ms) {
  const base::Json* status = base::At(pod, {"status"});
  const base::Json* server =
      status ? FindNamed(*status, "containerStatuses", kServerContainer) : nullptr;
  if (!server) return false;
  const base::Json* restarts = base::At(*server, {"restartCount"});
  if (StateOf(pod).ready || (restarts && *restarts > 0)) return true;
  const auto since = base::ParseTime(base::StringAt(*server, {"state", "running", "startedAt"}));
  return since && now_ms - *since > kStartsWithinMs;
}

std::string ServerAdminAddress(const base::Json& pod) {
  const base::Json* status = base::At(pod, {"status"});
  const base::Json* server =
      status ? FindNamed(*status, "containerStatuses", kServerContainer) : nullptr;
  if (!server || !base::At(*server, {"state", "running"}) || kube::IsBeingDeleted(pod)) return "";
  return PodAddress(pod, kServerAdminPort);
}

}  // namespace controller
