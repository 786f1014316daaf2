// Existing rows that an import meets, and ids that imported rows may keep. Everything runs in the
// caller's transaction.
#pragma once

#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"

namespace memory {

// Larger ids are replaced: the counter that follows them must stay below 2^53.
inline constexpr int64_t kHighestKeptId = int64_t{1} << 52;
// Whether no row has or had the id.
base::Result<bool> IsFreeId(sqlite::Database& database, int64_t id);

// Imports an existing row again, with `tags`. → kRaised if it had class import and the import
// vouches for it, else kSkipped.
base::Result<Imported::Outcome> MeetAgain(sqlite::Database& database, int64_t slot,
                                          const std::vector<std::string>& tags,
                                          const ImportOptions& options);

}  // namespace memory
