// Reads what a context is made of: the compact form of closed blocks, and the open block whole. The
// plan is context_plan.h.
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
// nullopt: it has over `max_bytes`. A form that is not there is empty.
base::Result<std::optional<CompactMessagesView>> CompactView(sqlite::Database& db,
                                                             const std::string& conversation,
                                                             int64_t number, size_t max_bytes);

// {"messages", "tokens", "budget", "blocks", "left_out"}. At most the newest kBlocksLookedAt blocks
// are looked at. kTooLarge: the open block alone is more than an answer may be.
inline constexpr int64_t kBlocksLookedAt = 10'000;
base::Result<base::Json> BuildContext(sqlite::Database& db, const std::string& conversation,
                                      int64_t max_tokens);

}  // namespace conversation
