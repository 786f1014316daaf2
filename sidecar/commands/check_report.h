// Says what a policy would do with a recorded hook event, and why: the decisions of a live turn
// (turn_draft, recall_plan), put into words. Decides nothing itself, asks no server, writes
// nothing. Pure.
#pragma once

#include <string>

#include "lib/api/hook_event.h"
#include "lib/base/json/json.h"
#include "sidecar/policy/active_policy.h"

namespace sidecar {

// {"event", "conversation", "tool", "messages", "redactions", "truncated", "rules": [{"rule",
// "tool", "matched", "why"}], "saves": [bodies of POST /observations], "recall", "permission",
// "audited"}: docs/sidecar-api.md has an example. The same event and policy give the same bytes.
base::Json CheckEvent(const ActivePolicy& policy, api::HookEvent event);

// A report of CheckEvent for people.
std::string DescribeReport(const base::Json& report);

}  // namespace sidecar
