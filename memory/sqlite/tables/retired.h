// Rows that retention hides: the table `retired`. Everything runs in the caller's transaction.
#pragma once

#include <string>

#include "lib/sql/database.h"

namespace memory {

// A row `o` that a client hid, and that is no part of a merged trace.
#define MEMORY_HIDDEN                                                                           \
  "o.deleted_ms IS NOT NULL AND NOT EXISTS(SELECT 1 FROM retired r WHERE r.slot = o.slot) "     \
  "AND NOT EXISTS(SELECT 1 FROM traces m WHERE m.slot = o.slot AND m.merged_into IS NOT NULL) " \
  "AND NOT EXISTS(SELECT 1 FROM trace_sources m WHERE m.merged = o.slot) "

// Soft-deletes a live row: the row leaves the index and its topic becomes free. `reason`: ttl or
// cap.
base::Status Retire(sql::Database& database, int64_t slot, const char* reason, int64_t now_ms);
base::Result<bool> IsRetired(sql::Database& database, int64_t slot);
// Retires an expired row of this topic now, not in the next round, so that a writer finds the topic
// free at the same moment as every reader. A trace of one user, Agent or conversation loses it.
base::Status FreeTopic(sql::Database& database, const std::string& topic_key, int64_t project,
                       const std::string& scope, int64_t now_ms);

}  // namespace memory
