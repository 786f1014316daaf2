// Rows that retention hides: the table `retired`. Everything runs in the caller's transaction.
#pragma once

#include <string>

#include "lib/sqlite/database.h"

namespace memory {

// Soft-deletes a live row: the row leaves the index and its topic becomes free. `reason`: ttl or
// cap.
base::Status Retire(sqlite::Database& database, int64_t slot, const char* reason, int64_t now_ms);
base::Result<bool> IsRetired(sqlite::Database& database, int64_t slot);
// Retires an expired row of this topic now, not in the next round, so that a writer finds the topic
// free at the same moment as every reader. A trace of one user, Agent or conversation loses it.
base::Status FreeTopic(sqlite::Database& database, const std::string& topic_key, int64_t project,
                       const std::string& scope, int64_t now_ms);

}  // namespace memory
