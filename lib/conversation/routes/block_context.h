// Builds a context from the compact form of closed blocks and all messages of the open block.
// context_plan.h chooses the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace conversation {

struct CompactMessagesView {
  base::Json messages = base::Json::array();
  size_t bytes = 0;
};
// nullopt: over `max_bytes`. Without a compact form the view is empty.
base::Result<std::optional<CompactMessagesView>> CompactView(sqlite::Database& db,
                                                             const std::string& conversation,
                                                             int64_t number, size_t max_bytes);

// {"messages", "tokens", "budget", "blocks", "left_out"}. Considers the newest kMaxBlocksRead
// blocks. kTooLarge: the open block alone exceeds the limit of an answer.
inline constexpr int64_t kMaxBlocksRead = 10'000;
base::Result<base::Json> BuildContext(sqlite::Database& db, const std::string& conversation,
                                      int64_t max_tokens);

}  // namespace conversation
