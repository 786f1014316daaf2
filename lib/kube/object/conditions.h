// status.conditions as kstatus and `kubectl wait` read them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/object/object.h"

namespace kube {

enum class Truth { kTrue, kFalse, kUnknown };

struct Condition {
  std::string type;
  Truth status = Truth::kUnknown;
  std::string reason;   // CamelCase, never empty: the API refuses it
  std::string message;  // cut to 32,768 characters, the API's limit
};

// Sets `condition` in `conditions` (replaced by an empty array if it is none), without a change to
// other conditions or their order. Sets lastTransitionTime to `now_ms` only for a new condition or
// a changed status.
void SetCondition(Json* conditions, const Condition& condition, int64_t observed_generation,
                  int64_t now_ms);
std::optional<Condition> FindCondition(const Json& conditions, std::string_view type);
// Since when the status of `object` has this condition False, ms since 1970; 0: it is not False.
int64_t FalseSinceMs(const Json& object, std::string_view type);

}  // namespace kube
