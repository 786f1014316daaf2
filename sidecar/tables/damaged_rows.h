// Rows of state.db whose bytes changed on the disk while the file stayed well-formed: remembered,
// counted and said, since they are not served or sent any more. The check is
// lib/sqlite/row_checksum.h; a file that is malformed is state_salvage.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kDamagedRowsStep;  // a migration

// Remembers them, each once, kMostDamagedRows at most. → those that are new.
inline constexpr int64_t kMostDamagedRows = 10'000;
base::Result<std::vector<sqlite::UnsoundRow>> NoteDamagedRows(
    sqlite::Database& db, const std::vector<sqlite::UnsoundRow>& rows, int64_t now_ms);

// How many were met over the life of the file, by table.
base::Result<std::map<std::string, int64_t>> CountDamagedRows(sqlite::Database& db);

}  // namespace sidecar
