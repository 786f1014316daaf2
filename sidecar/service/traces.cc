// An agent writes as agent; what a user wrote it changes where the policy allows it.
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
  }
  call.body = std::move(body);
  return call;
}

AgentMemory::Answer AskToHide(AgentMemory& memory, const MemoryCall& call,
                              const std::vector<std::string>& ids, AgentMemory::Resource resource) {
  const api::Policy& policy = call.policy->policy;
  for (const std::string& id : ids) {
    if (policy.allow_admin) break;
    AgentMemory::Resource one = TraceCall(policy, "GET", TracePath(id));
    one.conversation = resource.conversation;
    ASSIGN_OR_RETURN(const http::Response found, memory.Ask(call, std::move(one)));
    if (found.status == 404) continue;  // the answer of the server says so
    if (found.status != 200) return found;
    const base::Json trace = base::ParseJson(found.body).value_or(base::Json());
    if (base::StringAt(trace, {"source", "origin"}) == api::kOriginUser) {
      return base::Error{base::Code::kDenied,
                         "a user wrote trace " + id +
                             "; the policy of this agent does not allow to hide it "
                             "(memory.allowAdmin)"};
    }
  }
  return memory.Ask(call, std::move(resource));
}

}  // namespace sidecar
