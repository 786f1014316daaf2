// A damaged state.db: set aside under another name, said so, and what can still be read of it taken
// over into the new one. Not for the server's files, where a backup is the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kDamageStep;  // a migration

// Renames `<directory>/state.db` and its log to `state.db.damaged-<now_ms>…`, durably.
base::Status SetAside(const std::string& directory, int64_t now_ms);
// Before a new file is made: the log goes after its file, should a crash have parted them.
base::Status FinishSettingAside(const std::string& directory);

// Takes over, each in one transaction, what can be read of every file that was set aside and not
// salvaged yet; a crash in between thus begins again. Keeps the newest three such files. Writes
// that could not be read become dead letters of cause "damaged", where their number is known.
base::Status SalvageAll(sqlite::Database& db, const std::string& directory);

// What was set aside over the life of the volume: [{file, at, reason, salvaged, lost_writes}]; the
// newest first. lost_writes is null when nobody can know.
base::Result<base::Json> Damages(sqlite::Database& db);

}  // namespace sidecar
