// Searches a text for all known formats and for values of secret names, at their keywords. The
// search is shared by the process, which compiles an expression at the first occurrence of its
// keyword: most expressions never.
#pragma once

#include <string_view>
#include <vector>

#include "lib/base/limits/work_budget.h"
#include "lib/redaction/spans.h"

namespace redaction {

// Adds findings to `spans`; false: the budget ran out. Any thread.
bool FindSecrets(std::string_view text, base::WorkBudget& budget, std::vector<SecretSpan>& spans);

}  // namespace redaction
