// Judges the words of a shell script: refuses those that are paths outside the allowed ones, in the
// order in which the script changes directory, and explains which words cannot be judged before it
// runs. Pure.
#pragma once

#include <string>
#include <vector>

#include "sidecar/denial/path_judge.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

// The distinct reasons of all words of a script: "command: …". `commands`, `paths`: whether the
// policy has these lists.
std::vector<std::string> UnjudgedOfScript(const std::string& script, bool commands, bool paths);

// The reason to deny the first word that is refused; empty: all are allowed, or the budget is
// spent.
std::string RefusalOfScript(const std::string& script, PathJudge& judge, WorkBudget& budget);

}  // namespace sidecar
