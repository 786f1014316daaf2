// Evaluates the CEL rules of our schemas (x-kubernetes-validations): has(), all, exists,
// exists_one, matches, size, duration, comparisons and logic. A subset of CEL
// (github.com/google/cel-spec): an unknown construct is an error, never true. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace kube {

// Whether the rule holds. `variables`: self, oldSelf. kInvalid: the rule does not parse, or its
// evaluation fails (an invalid regular expression, a missing field).
base::Result<bool> EvaluateRule(std::string_view rule,
                                const std::map<std::string, base::Json>& variables);

}  // namespace kube
