// Replays the sessions of a plan, one after the other, and reports them as their rows arrive at
// the memory server.
#pragma once

#include <functional>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/replay/replay_plan.h"

namespace sidecar {

// `tell` receives {"project", "imported", "skipped", "errors", "sessions": [{"session" (its place
// in the plan), "outcome": taken | hooked | old | empty | unread, "prompts", "memories", "broken",
// "broken_lines": [{"file", "line", "error"}]}]}; a session is told once and when its rows are
// stored. {"reads": bytes} comes during a long session, with
// what was read of it. An error: the server takes nothing more, and sessions
// that were not told are to be replayed again.
base::Status Replay(const ReplayPlan& plan, const std::function<void(const base::Json&)>& tell);

}  // namespace sidecar
