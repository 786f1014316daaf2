// Agents write with trust class agent, and change a user's traces only if the policy allows it.
#include "sidecar/service/traces.h"

#include <utility>

#include "lib/api/memory_api.h"

namespace sidecar {

std::string TracePath(const std::string& id, const std::string& behind) {
  return "/traces/" + http::PercentEncode(id) + behind;
}

AgentMemory::Resource TraceCall(const api::Policy& policy, const char* method, std::string path,
                                base::Json body) {
  AgentMemory::Resource call;
  call.method = method;
  call.path = std::move(path);
  call.of_context = true;
  if (body.is_object()) {
    call.conversation = base::StringAt(body, {"conversation"});
    body["source"] = {{"origin", api::kOriginAgent}};
    body["replace_user"] = policy.allow_admin;
    if (call.path == api::kIngestPath || call.path == kSearchTracesPath)
      body["settings"] = api::EncodeIngestSettings(policy.auto_ingest, policy.personality);
  }
  call.body = std::move(body);
  return call;
}

}  // namespace sidecar
