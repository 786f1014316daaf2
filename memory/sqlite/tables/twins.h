// The rows of a project that a write or an import may fall upon.
#pragma once

#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/dedup.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

// Input of Decide. The live row that has the topic key; without a topic key the one live row with
// the same text, type, scope and rule whose content is newest within the window. At most one, by an
// index: equal texts of other types cost nothing.
base::Result<std::vector<Candidate>> FindCandidates(sqlite::Database& database,
                                                    const Incoming& incoming, int64_t project,
                                                    int64_t window_ms);

// The row that an earlier import made of `row` under another id; a live one before a hidden one.
// It looks at a few hundred rows of the text at most, of those that were written when it was: one
// that came with another text and got this one here since may be missed.
base::Result<std::optional<Place>> FindImported(sqlite::Database& database,
                                                const api::Observation& row, int64_t project,
                                                int64_t session);

}  // namespace memory
