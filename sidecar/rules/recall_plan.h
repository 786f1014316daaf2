// Plans the recall of a hook event: the context for a prompt, or the searches of contextInjectTools
// before a tool. recall.h sends the requests. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"

namespace sidecar {

// The search that one entry of contextInjectTools plans for a call.
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

// SessionStart recalls only session summaries; prompts recall memories. A denied call plans no
// search.
RecallPlan PlanRecall(const api::Policy& policy, const api::HookEvent& event, bool denied);

}  // namespace sidecar
