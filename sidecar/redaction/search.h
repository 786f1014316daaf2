// Searches a text for all known formats and for what is assigned to secret names, at the places
// where their words stand. One for the whole process; an expression is compiled when its word
// occurs for the first time, which for most of them is never.
#pragma once

#include <string_view>
#include <vector>

#include "sidecar/redaction/spans.h"
#include "sidecar/text/work_budget.h"

namespace sidecar {

// What is found is added to `spans`; false when the budget ran out. Any thread.
bool FindSecrets(std::string_view text, WorkBudget& budget, std::vector<SecretSpan>& spans);

}  // namespace sidecar
