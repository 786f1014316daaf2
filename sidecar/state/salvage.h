// A damaged state.db: set aside under another name, said so, and what can still be read of it taken
// over into the new one. Not for the server's files, where a backup is the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kDamageStep;  // a migration

// Renames `<directory>/state.db` and its log to `state.db.damaged-<now_ms>…`, durably.
base::Status SetAside(const std::string& directory, int64_t now_ms);
// Before a new file is made: the log goes after its file, should a crash have parted them.
base::Status FinishSettingAside(const std::string& directory);

// All together: a start that takes a minute is a dead one to the kubelet, and would be again.
inline constexpr int64_t kLongestSalvageMs = 20'000;

// Takes over what can be read of every file that was set aside: the outbox in one commit, then each
// table in its own; a crash in between goes on at the next start. A file that is done is renamed to
// `state.db.salvaged-<ms>`, so that nothing is taken from it twice; the newest three of these are
// kept. Writes that could not be read become dead letters of cause "damaged", where their number is
// known. No room is no error: without it the outbox is tried again at the next start, another table
// is gone without. After `longest_ms` no more is taken over: of messages the newest are.
base::Status SalvageAll(sqlite::Database& db, const std::string& directory,
                        const base::Clock& clock = base::SystemClock(),
                        int64_t longest_ms = kLongestSalvageMs);

// What was set aside over the life of the volume: [{file, at, reason, salvaged, lost_writes,
// no_room?, not_in_time?}]; the newest first. lost_writes is null when nobody can know.
base::Result<base::Json> Damages(sqlite::Database& db);

}  // namespace sidecar
