// The list of rows of state.db that fail their checksum in a well-formed file. Such rows are
// neither served nor sent. The checksum is in lib/sqlite/row_checksum.h; salvage.h handles
// malformed files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kDamagedRowsStep;  // a migration

// Adds rows to the list, each once, up to kMostDamagedRows. → the rows that are new in it.
inline constexpr int64_t kMostDamagedRows = 10'000;
base::Result<std::vector<sqlite::UnsoundRow>> NoteDamagedRows(
    sqlite::Database& db, const std::vector<sqlite::UnsoundRow>& rows, int64_t now_ms);

// Damaged rows over the life of the file, by table.
base::Result<std::map<std::string, int64_t>> CountDamagedRows(sqlite::Database& db);

}  // namespace sidecar
