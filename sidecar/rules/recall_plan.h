// Decides what a hook event asks of memory: the context for a prompt, or the searches that
// contextInjectTools wants before a tool. Asks nothing itself: that is recall. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"

namespace sidecar {

// What one entry of contextInjectTools says to a call.
struct SearchPlan {
  enum class Outcome {
    kSearches,
    kOtherTool,
    kOwnTool,  // a memory tool searches by itself
    kNoQuery,  // the call has no text to search for
  };
  Outcome outcome = Outcome::kOtherTool;
  std::string query;  // at most 500 characters
  int limit = 0;
  bool inject = false;
};

struct RecallPlan {
  enum class Kind { kNothing, kContext, kSearches };
  Kind kind = Kind::kNothing;
  std::string query;  // kContext: the prompt cut to 500 characters; blank: sessions alone
  std::vector<SearchPlan> searches;  // kSearches: one for each entry, in the policy's order
};

// A session starts with what came before it; memories wait for the prompt that they are about. A
// denied call is not searched for.
RecallPlan PlanRecall(const api::Policy& policy, const api::HookEvent& event, bool denied);

}  // namespace sidecar
