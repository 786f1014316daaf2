// Finds the row of a project that a write or an import may duplicate.
#pragma once

#include <vector>

#include "lib/sql/database.h"
#include "memory/model/dedup.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/store/reads.h"

namespace memory {

// The input of Decide: the live row with the topic key; without a topic key the live row with the
// same text, type, scope and rule and the newest content within the window. Reads one entry of an
// index: equal texts of other types cost nothing.
base::Result<std::vector<Candidate>> FindCandidates(sql::Database& database,
                                                    const Incoming& incoming, int64_t project,
                                                    int64_t window_ms);

// The row that an earlier import created from `row` under another id; prefers a live one to a
// hidden one. A row without a time is found only if `viewer` sees it: with its time, session and
// text a row is that row, whoever brings it. Reads at most a few hundred rows of the text, written
// at the same time: it may miss a row that was imported with another text and got this one later.
base::Result<std::optional<KnownRow>> FindImported(sql::Database& database,
                                                   const api::Observation& row, int64_t project,
                                                   int64_t session,
                                                   const std::optional<Viewer>& viewer);

}  // namespace memory
