// Imports that come upon a row that is here, and ids that they may keep. Everything runs in the
// caller's transaction.
#pragma once

#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"

namespace memory {

// Ids above this are not kept: the counter that follows them must not run out below 2^53.
inline constexpr int64_t kHighestKeptId = int64_t{1} << 52;
// No row has the id, and none had it.
base::Result<bool> IsFreeId(sqlite::Database& database, int64_t id);

// The same row comes again, with `tags`: kRaised when it was of class import until now and the
// import vouches for it, else kSkipped.
base::Result<Imported::Outcome> MeetAgain(sqlite::Database& database, int64_t slot,
                                          const std::vector<std::string>& tags,
                                          const ImportOptions& options);

}  // namespace memory
