// Conditions and Events of a status, for all kinds: keeps transition times, and decides which
// changes emit an Event. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/kube/object/conditions.h"

namespace controller {

// Encodes `conditions`, in this order, for the status of `object`: a condition whose status did not
// change keeps its lastTransitionTime.
base::Json ConditionsOf(const base::Json& object, const std::vector<kube::Condition>& conditions,
                        int64_t now_ms);
// The status of an undecodable object: Ready is False and Stalled True, with `reason`.
base::Json BrokenStatus(const base::Json& object, const std::string& reason, const std::string& why,
                        int64_t now_ms);

struct Notice {
  bool warning = false;
  std::string reason, note;
};
// The Events of a status change: conditions that turned bad, or good again.
std::vector<Notice> NoticesOf(const base::Json& old_status, const base::Json& new_status);

}  // namespace controller
