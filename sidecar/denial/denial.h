// Says no to a tool call before it runs: blocked commands and paths outside the allowed ones. Words
// are read as a shell reads them; a command that cannot be read, or is only known when it runs, is
// denied. What a program does with its words is not known here. Pure.
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
  // What may hold a path or a command, or may not: names of arguments that are prose, and
  // "command: …" with the reason why words of a command are not known here.
  std::vector<std::string> unjudged;
};

// A path must be allowed as written and as `real_path` gives it. Relative ones begin in the event's
// cwd and in every directory that a command changes to. Every text of the arguments is judged or
// named in `unjudged`. A call that cannot be judged within `budget` is denied.
Denial DeniedCall(const api::Policy& policy, const api::HookEvent& event, const RealPath& real_path,
                  WorkBudget& budget);

}  // namespace sidecar
