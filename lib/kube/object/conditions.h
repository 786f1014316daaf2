// status.conditions as kstatus and `kubectl wait` read them. Pure.
#pragma once

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

// Sets `condition` in the list `conditions` (made an array when it is none); the others stay as
// they are and in place. lastTransitionTime is `now_ms` only when the status changed or the
// condition is new.
void SetCondition(Json* conditions, const Condition& condition, int64_t observed_generation,
                  int64_t now_ms);
std::optional<Condition> FindCondition(const Json& conditions, std::string_view type);

}  // namespace kube
