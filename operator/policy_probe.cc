// One short request per call; the answer is small.
#include "operator/policy_probe.h"

#include "lib/http/client.h"
#include "operator/names.h"
#include "operator/pod_state.h"

namespace controller {

base::Result<SidecarLook> LookAtSidecar(const std::string& address) {
  http::ClientOptions options;
  options.base_url = "http://" + address;
  options.max_response_bytes = 64 << 10;
  options.user_agent = "agent-memory-operator";
  ASSIGN_OR_RETURN(auto client, http::MakeClient(options));
  http::ClientRequest request;
  request.target = "/v1/policy";
  request.timeout_ms = 1'000;
  ASSIGN_OR_RETURN(http::Response answer, client->Send(request));
  if (answer.status != 200)
    return base::Error{http::CodeOf(answer.status), "the sidecar answers no policy"};
  ASSIGN_OR_RETURN(base::Json body, base::ParseJson(answer.body));
  SidecarLook look{base::StringAt(body, {"digest"}), INT64_MAX};
  if (const base::Json* quiet = base::At(body, {"quiet_ms"}); quiet && quiet->is_number_integer())
    look.quiet_ms = quiet->get<int64_t>();
  if (look.digest.empty())
    return base::Error{base::Code::kInvalid, "the sidecar has no policy in force"};
  return look;
}

std::string SidecarAddress(const base::Json& pod) {
  const std::string ip = base::StringAt(pod, {"status", "podIP"});
  if (ip.empty() || !StateOf(pod).sidecar_running) return "";
  const std::string host = ip.find(':') == std::string::npos ? ip : "[" + ip + "]";
  return host + ":" + std::to_string(kSidecarAdminPort);
}

}  // namespace controller
