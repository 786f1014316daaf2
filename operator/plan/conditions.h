// Conditions and Events of a status, the same for all kinds: which condition keeps its transition
// time, and which change is worth an Event. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/kube/object/conditions.h"

namespace controller {

// `conditions` in the order given, as a status of `object` has them: those whose truth did not
// change keep their transition time.
base::Json ConditionsOf(const base::Json& object, const std::vector<kube::Condition>& conditions,
                        int64_t now_ms);
// Ready is False and Stalled True, for the reason given: of an object that could not be decoded.
base::Json BrokenStatus(const base::Json& object, const std::string& reason, const std::string& why,
                        int64_t now_ms);

struct Notice {
  bool warning = false;
  std::string reason, note;
};
// What is worth an Event: conditions that turned bad, or good again.
std::vector<Notice> NoticesOf(const base::Json& old_status, const base::Json& new_status);

}  // namespace controller
