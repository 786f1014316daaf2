// The input of an AgentRun's plan: all observed objects. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/plan/plan.h"
#include "operator/pods/causes.h"

namespace controller {

struct ObservedRun {
  base::Json run;                   // defaulted and validated by its schema
  std::optional<base::Json> agent;  // of agentRef
  // Objects with the names of its Job, claim and prompt, of any owner.
  std::map<ChildKey, base::Json> children;
  bool children_read = false;    // `children` are from the API server, not only from caches
  std::vector<base::Json> pods;  // with the run's label
  std::string refused;           // the API server's message about the apply of this reconcile
  std::vector<Cause> causes;     // of a missing pod, by Events
};

}  // namespace controller
