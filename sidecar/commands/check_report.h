// Explains the decisions of a policy on a recorded hook event: those of a live turn (turn_draft,
// recall_plan) and of a session's end (sessions), in words. Decides nothing itself. Pure.
#pragma once

#include <string>

#include "lib/api/hook_event.h"
#include "lib/base/json/json.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/session/transcript.h"

namespace sidecar {

// {"event", "conversation", "tool", "messages", "redactions", "truncated", "rules": [{"rule",
// "tool", "matched", "why"}], "saves": [bodies of POST /observations], "summary", "recall",
// "permission", "audited"}: docs/sidecar-api.md has an example. The saves of matched rules come
// first. `account`: of the event's conversation so far; gets the messages of the event. The same
// events and policy give the same bytes.
base::Json CheckEvent(const ActivePolicy& policy, api::HookEvent event, SessionAccount& account);

// A report of CheckEvent for people.
std::string DescribeReport(const base::Json& report);

}  // namespace sidecar
