// The rows of a project that a write may fall upon: input of Decide. For memory/store*.cc only.
#pragma once

#include <vector>

#include "lib/sqlite/database.h"
#include "memory/dedup.h"

namespace memory {

// The live row that has the topic key; without a topic key the one live row with the same text,
// type, scope and rule whose content is newest within the window. At most one, by an index: equal
// texts of other types cost nothing.
base::Result<std::vector<Candidate>> FindCandidates(sqlite::Database& database,
                                                    const Incoming& incoming, int64_t project,
                                                    int64_t window_ms);

}  // namespace memory
