// Looks for secrets that are not written as such: base64 of a known format, and a token that a line
// end parts. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "lib/base/limits/work_budget.h"
#include "lib/redaction/spans.h"

namespace redaction {

// False when the budget ran out.
bool FindEncoded(std::string_view text, base::WorkBudget& budget, std::vector<SecretSpan>& spans);

}  // namespace redaction
