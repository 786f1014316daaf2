// Judges the words of a command that may be paths, in the order in which it changes directory.
// Pure.
#pragma once

#include <string>

#include "sidecar/denial/path_judge.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

// The reason to deny one of them; empty: all are allowed, or the budget is spent.
std::string RefusalOfScript(const std::string& script, PathJudge& judge, WorkBudget& budget);

}  // namespace sidecar
