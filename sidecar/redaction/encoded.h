// Looks for secrets that are not written as such: base64 of a known format, and a token that a line
// end parts. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "sidecar/redaction/spans.h"
#include "sidecar/text/work_budget.h"

namespace sidecar {

// False when the budget ran out.
bool FindEncoded(std::string_view text, WorkBudget& budget, std::vector<SecretSpan>& spans);

}  // namespace sidecar
