// Denies a tool call before it runs: blocked commands, and paths outside of the allowed ones.
// Parses words like a shell; denies a command that cannot be parsed, or whose name is known only at
// run time. Does not know what a program does with its arguments. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"
#include "sidecar/denial/path_judge.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

struct Denial {
  std::string reason;  // empty: the call is not denied
  // Texts that could not be judged: names of arguments that are prose, and "command: …" with the
  // reason for words of a command.
  std::vector<std::string> unjudged;
};

// A path must be allowed as written and as resolved by `real_path`. Relative paths are resolved in
// the event's cwd and in every directory that a command changes to. Every text of the arguments is
// judged or named in `unjudged`. A call that exceeds `budget` is denied.
Denial DeniedCall(const api::Policy& policy, const api::HookEvent& event, const RealPath& real_path,
                  WorkBudget& budget);

}  // namespace sidecar
