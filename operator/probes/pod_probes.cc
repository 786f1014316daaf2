// One short request per call; the answer is small.
#include "operator/probes/pod_probes.h"

#include "lib/base/process/clock.h"
#include "lib/http/client/client.h"
#include "lib/kube/object/object.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"
#include "operator/pods/state.h"

namespace controller {
namespace {

constexpr int64_t kStartsWithinMs = 120'000;

// Reads JSON from http://<address><path>, within a second. kUnavailable, kTimeout, or the code of
// the answer's status.
base::Result<base::Json> GetFromPod(const std::string& address, const std::string& path) {
  http::ClientOptions options;
  options.base_url = "http://" + address;
  options.max_response_bytes = 64 << 10;
  options.user_agent = "agent-memory-operator";
  ASSIGN_OR_RETURN(auto client, http::MakeClient(options));
  http::ClientRequest request;
  request.target = path;
  request.timeout_ms = 1'000;
  ASSIGN_OR_RETURN(http::Response answer, client->Send(request));
  if (answer.status != 200)
    return base::Error{http::CodeOf(answer.status),
                       path + " is answered with " + std::to_string(answer.status)};
  return base::ParseJson(answer.body);
}

// "<pod IP>:<port>"; empty while it has no IP.
std::string PodAddress(const base::Json& pod, int port) {
  const std::string ip = base::StringAt(pod, {"status", "podIP"});
  if (ip.empty()) return "";
  return (ip.find(':') == std::string::npos ? ip : "[" + ip + "]") + ":" + std::to_string(port);
}

// The status of the memory server's container; null: it has none.
const base::Json* ServerIn(const base::Json& pod) {
  const base::Json* status = base::At(pod, {"status"});
  return status ? FindNamed(*status, "containerStatuses", kServerContainer) : nullptr;
}

}  // namespace

base::Result<SidecarReport> ProbeSidecar(const std::string& address) {
  ASSIGN_OR_RETURN(base::Json body, GetFromPod(address, "/v1/policy"));
  SidecarReport look{base::StringAt(body, {"digest"}), INT64_MAX};
  if (const base::Json* quiet = base::At(body, {"quiet_ms"}); quiet && quiet->is_number_integer())
    look.idle_ms = quiet->get<int64_t>();
  if (look.digest.empty())
    return base::Error{base::Code::kInvalid, "the sidecar has no policy in force"};
  return look;
}

std::string SidecarAddress(const base::Json& pod) {
  return StateOf(pod).sidecar_running ? PodAddress(pod, kSidecarAdminPort) : "";
}

base::Result<api::ServerReport> ProbeServer(const std::string& address) {
  ASSIGN_OR_RETURN(base::Json body, GetFromPod(address, api::kServerReportPath));
  return api::DecodeServerReport(body);
}

bool ShouldProbe(const base::Json& pod, int64_t now_ms) {
  const base::Json* server = ServerIn(pod);
  if (!server) return false;
  const base::Json* restarts = base::At(*server, {"restartCount"});
  if (StateOf(pod).ready || (restarts && *restarts > 0)) return true;
  const auto since = base::ParseTime(base::StringAt(*server, {"state", "running", "startedAt"}));
  return since && now_ms - *since > kStartsWithinMs;
}

std::string ServerAdminAddress(const base::Json& pod) {
  const base::Json* server = ServerIn(pod);
  if (!server || !base::At(*server, {"state", "running"}) || kube::IsBeingDeleted(pod)) return "";
  return PodAddress(pod, kServerAdminPort);
}

}  // namespace controller
