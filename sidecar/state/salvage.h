// Recovery of a damaged state.db: quarantine under another name, then the copy of every readable
// row into a new file. The server's files have backups instead.
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
// Finishes a quarantine that a crash interrupted between the file and its log. Call before creating
// a new file.
base::Status FinishSettingAside(const std::string& directory);

// The limit for all files together: the kubelet kills a start of a minute, and every retry would
// take as long.
inline constexpr int64_t kLongestSalvageMs = 20'000;

// Copies the readable rows of every quarantined file: the outbox in one commit, then each table in
// its own; a crash in between continues at the next start. A finished file is renamed to
// `state.db.salvaged-<ms>`, so that no row is copied twice; the newest three are kept. Unreadable
// writes become dead letters of cause "damaged" if their number is known. A full volume is no
// error: the outbox is tried again at the next start, other tables are lost. After `longest_ms` the
// copy ends; the newest messages come first.
base::Status SalvageAll(sqlite::Database& db, const std::string& directory,
                        const base::Clock& clock = base::SystemClock(),
                        int64_t longest_ms = kLongestSalvageMs);

// Quarantined files over the life of the volume, the newest first: [{file, at, reason, salvaged,
// lost_writes, no_room?, not_in_time?}]. lost_writes is null if the number is unknown.
base::Result<base::Json> Damages(sqlite::Database& db);

}  // namespace sidecar
