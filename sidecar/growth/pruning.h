// The time by which things in state.db age, and how a whole conversation is deleted: never one that
// the memory server was not told all of. What goes when is growth_plan.h. Every call runs inside
// the caller's transaction.
#pragma once

#include <cstdint>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

// The time by which things age: at most `gain_ms` later than
// `aged_ms`, and never ahead of the clock. A clock that jumps ten years ahead thus expires nothing.
// Pure.
int64_t AgeBy(int64_t aged_ms, int64_t gain_ms, int64_t now_ms);

base::Result<int64_t> LoadAged(sqlite::Database& db);  // 0: never saved
base::Status SaveAged(sqlite::Database& db, int64_t aged_ms);

// Deletes a conversation with all that is kept about it (messages, injections, sessions, answers;
// not the audit log), when it has ended, was not used since `before_ms` and has no write in the
// outbox. → whether it did.
// Its rows are first taken away by PruneRows, some in each commit.
base::Result<bool> PruneConversation(sqlite::Database& db, const std::string& id,
                                     int64_t before_ms);

// Deletes at most `limit` messages, injections and answers of a conversation that PruneConversation
// may delete, the oldest first, and about kBytesOfAPiece (growth_tables.h). → how many; 0: none is
// left, or it may not be deleted.
base::Result<int64_t> PruneRows(sqlite::Database& db, const std::string& id, int64_t before_ms,
                                int64_t limit);

}  // namespace sidecar
