// Chooses the blocks of a context by their sizes. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace conversation {

inline constexpr int64_t kReservedTokens = 4'096;  // for the answer

struct BlockSize {
  int64_t number = 0, tokens = 0;
};

struct ContextPlan {
  int64_t budget = 0;                     // for closed blocks
  int64_t tokens = 0;                     // of the chosen blocks and the open block
  std::vector<int64_t> blocks, left_out;  // numbers of closed blocks, ascending
};

// `closed`: the newest first, the order of the choice. Skips a block that does not fit, so that it
// hides no older one. A budget of 0 or less chooses none.
ContextPlan PlanContext(const std::vector<BlockSize>& closed, int64_t open_tokens,
                        int64_t max_tokens);

}  // namespace conversation
