// The retention clock of state.db, and the deletion of a whole conversation. A conversation with
// undelivered writes is never deleted. growth_plan.h decides when rows go. Every call runs inside
// the caller's transaction.
#pragma once

#include <cstdint>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

// Advances the retention clock by at most `gain_ms`, never past `now_ms`: a wall clock that jumps
// ten years ahead expires nothing. Pure.
int64_t AdvanceRetentionClock(int64_t aged_ms, int64_t gain_ms, int64_t now_ms);

base::Result<int64_t> LoadRetentionClock(sqlite::Database& db);  // 0: never saved
base::Status SaveRetentionClock(sqlite::Database& db, int64_t aged_ms);

// Deletes a conversation with its messages, injections, sessions and answers (not the audit log)
// when the conversation has ended, was not used since `before_ms` and has no write in the outbox.
// Call PruneRows first, which deletes most rows in small commits. → whether it was deleted.
base::Result<bool> PruneConversation(sqlite::Database& db, const std::string& id,
                                     int64_t before_ms);

// Deletes at most `limit` messages, injections and answers of a conversation that PruneConversation
// may delete, the oldest first, about kBytesOfAPiece in all (growth_tables.h). → the number of
// deleted rows; 0: no row is left, or the conversation may not be deleted.
base::Result<int64_t> PruneRows(sqlite::Database& db, const std::string& id, int64_t before_ms,
                                int64_t limit);

}  // namespace sidecar
