// The answer to a save whose scope the policy narrowed from global to project. The decision is in
// agent_memory.cc. Pure.
#pragma once

#include <utility>

#include "lib/base/json/json.h"
#include "lib/http/message/message.h"

namespace sidecar {

// Adds scope and scope_reason to a successful answer: the agent may count on other projects.
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
