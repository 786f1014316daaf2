// Finds secrets in base64 of a known format, and tokens that a line end splits. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "lib/base/limits/work_budget.h"
#include "lib/redaction/spans.h"

namespace redaction {

// Adds findings to `spans`; false: the budget ran out.
bool FindEncoded(std::string_view text, base::WorkBudget& budget, std::vector<SecretSpan>& spans);

}  // namespace redaction
