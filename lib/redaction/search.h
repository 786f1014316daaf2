// Searches a text for all known formats and for values of secret names, at the places of their
// keywords. One for the whole process; an expression is compiled at the first occurrence of its
// keyword, for most expressions never.
#pragma once

#include <string_view>
#include <vector>

#include "lib/base/limits/work_budget.h"
#include "lib/redaction/spans.h"

namespace redaction {

// Adds findings to `spans`; false when the budget ran out. Any thread.
bool FindSecrets(std::string_view text, base::WorkBudget& budget, std::vector<SecretSpan>& spans);

}  // namespace redaction
