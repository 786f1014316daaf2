// Evaluates the CEL rules of our schemas (x-kubernetes-validations): has(), all, exists,
// exists_one, matches, size, duration, comparisons and logic. A part of CEL
// (github.com/google/cel-spec), not all of it: what it does not know is an error, never true. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace kube {

// True when the rule holds. `variables`: self, oldSelf. kInvalid: the rule does not parse, or its
// evaluation fails (a regular expression that does not compile, a field that is not there).
base::Result<bool> EvaluateRule(std::string_view rule,
                                const std::map<std::string, base::Json>& variables);

}  // namespace kube
