// What there is: everything about one AgentRun that a plan is made from. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/plan/plan.h"

namespace controller {

struct ObservedRun {
  base::Json run;                   // defaulted and validated by its schema
  std::optional<base::Json> agent;  // that agentRef names
  // On the names that its Job, claim and prompt want, whoever made them.
  std::map<ChildKey, base::Json> children;
  bool children_read = false;    // for those, where it counts and not only in caches
  std::vector<base::Json> pods;  // with the run's label
  std::string refused;           // what the API server said to what was applied just now
};

}  // namespace controller
