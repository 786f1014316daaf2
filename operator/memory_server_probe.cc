// As policy_probe.cc.
#include "operator/memory_server_probe.h"

#include "lib/kube/object.h"
#include "operator/names.h"
#include "operator/pod_injection.h"
#include "operator/policy_probe.h"

namespace controller {

base::Result<api::ServerReport> LookAtServer(const std::string& address) {
  ASSIGN_OR_RETURN(base::Json body, AskPod(address, api::kServerReportPath));
  return api::DecodeServerReport(body);
}

std::string ServerAdminAddress(const base::Json& pod) {
  const base::Json* status = base::At(pod, {"status"});
  const base::Json* server =
      status ? FindNamed(*status, "containerStatuses", kServerContainer) : nullptr;
  if (!server || !base::At(*server, {"state", "running"}) || kube::IsBeingDeleted(pod)) return "";
  return PodAddress(pod, kServerAdminPort);
}

}  // namespace controller
