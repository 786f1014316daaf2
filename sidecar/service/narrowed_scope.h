// The answer to a save whose scope global became project, since the Agent does not allow global.
// Not the decision itself: that is the routes' and the rules' (memory_routes.cc, turn_draft.cc).
// Pure.
#pragma once

#include <utility>

#include "lib/base/json/json.h"
#include "lib/http/message/message.h"

namespace sidecar {

// A memory that is kept narrower than asked says so: the agent may count on it in other projects.
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
