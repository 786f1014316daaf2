// What state.db may forget, and when: answers to events after a while, whole conversations only
// where a setting says so (rulings K35), and never what the memory server was not told. Every call
// runs inside the caller's transaction.
#pragma once

#include <cstdint>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

// The time by which things age (reliability §1.2, rule 10): at most `gain_ms` later than
// `aged_ms`, and never ahead of the clock. A clock that jumps ten years ahead thus expires nothing.
// Pure.
int64_t AgeBy(int64_t aged_ms, int64_t gain_ms, int64_t now_ms);

base::Result<int64_t> LoadAged(sqlite::Database& db);  // 0: never saved
base::Status SaveAged(sqlite::Database& db, int64_t aged_ms);

// Deletes at most `limit` answers that were given before `before_ms`. → how many.
base::Result<int64_t> PruneAnswers(sqlite::Database& db, int64_t before_ms, int64_t limit);

// Deletes a conversation with all that is kept about it (messages, injections, sessions, answers;
// not the audit log), when it has ended, was not used since `before_ms` and has no write in the
// outbox. → whether it did.
// Its messages and injections are first taken away by PruneRows, some in each commit.
base::Result<bool> PruneConversation(sqlite::Database& db, const std::string& id,
                                     int64_t before_ms);

// Deletes at most `limit` messages and injections of a conversation that PruneConversation may
// delete, the oldest first. → how many; 0: none is left, or it may not be deleted.
base::Result<int64_t> PruneRows(sqlite::Database& db, const std::string& id, int64_t before_ms,
                                int64_t limit);

}  // namespace sidecar
