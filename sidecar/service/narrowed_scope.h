// The answer to a save whose scope the policy narrowed from global to project. agent_memory.cc
// decides. Pure.
#pragma once

#include <utility>

#include "lib/base/json/json.h"
#include "lib/http/message/message.h"

namespace sidecar {

// Adds scope and scope_reason to a successful answer: the agent may expect a global memory.
inline http::Response WithScopeReason(http::Response answer) {
  base::Result<base::Json> body = base::ParseJson(answer.body);
  if (answer.status >= 300 || !body || !body->is_object()) return answer;
  (*body)["scope"] = "project";
  (*body)["scope_reason"] =
      "the Agent does not say allowGlobal: true, so it is kept for project only";
  answer.body = base::DumpJson(*body);
  return answer;
}

}  // namespace sidecar
