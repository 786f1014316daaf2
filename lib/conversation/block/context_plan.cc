// Chooses each block that fits the remaining budget, the newest first.
#include "lib/conversation/block/context_plan.h"

#include <algorithm>

namespace conversation {

ContextPlan PlanContext(const std::vector<BlockSize>& closed, int64_t open_tokens,
                        int64_t max_tokens) {
  ContextPlan plan;
  plan.budget = max_tokens - open_tokens - kReservedTokens;
  plan.tokens = open_tokens;
  int64_t room = plan.budget;
  for (const BlockSize& block : closed) {
    const bool taken = room > 0 && block.tokens <= room;
    (taken ? plan.blocks : plan.left_out).push_back(block.number);
    if (!taken) continue;
    room -= block.tokens;
    plan.tokens += block.tokens;
  }
  std::ranges::reverse(plan.blocks);
  std::ranges::reverse(plan.left_out);
  return plan;
}

}  // namespace conversation
