// Rows that retention hides: the table `retired`. Everything runs in the caller's transaction.
#pragma once

#include <string>

#include "lib/sqlite/database.h"

namespace memory {

// Hides a live row for good, like one that was deleted: out of the index, its topic free. `reason`:
// ttl or cap.
base::Status Retire(sqlite::Database& database, int64_t slot, const char* reason, int64_t now_ms);
base::Result<bool> IsRetired(sqlite::Database& database, int64_t slot);  // hidden so
// A row of this topic that is over is hidden now instead of by the next round, so that a write
// finds the topic free at the same moment as every reader.
base::Status FreeTopic(sqlite::Database& database, const std::string& topic_key, int64_t project,
                       const std::string& scope, int64_t now_ms);

}  // namespace memory
