// Reads tools' calls as changes of a task: files read and changed, the action, the plan.
// lib/conversation/task applies the changes. Pure.
#pragma once

#include <string>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"
#include "lib/conversation/task/task_changes.h"

namespace sidecar {

// The changes by a tool's result; none for other events and for our own memory tools. The first
// entry of the policy's workingSection.tools that names the tool decides; else the built-in table
// of Claude Code's tools. `output`: the text of the result. A failed call is an action, and changes
// neither files nor the plan.
conversation::TaskChanges TaskUses(const api::Policy& policy, const api::HookEvent& event,
                                   const std::string& output);

}  // namespace sidecar
