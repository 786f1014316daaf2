// Rows that a ranking may return: live, and of the type, project and viewer that the query asks
// for.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/result.h"
#include "memory/model/fusion.h"
#include "memory/ranking/rank_query.h"
#include "memory/rows/candidates.h"

namespace memory {

// Puts the rows that are pinned above all others, in the order that they have.
void LiftPinned(const std::vector<Record>& records, std::vector<Ranked>& rows);

// A text equal to a topic key of `ranges`, or a prefix of one, finds its row, above all `rows`.
base::Status AddTopics(Candidates& candidates, const RankQuery& query,
                       const std::vector<int64_t>& ranges, std::vector<Ranked>& rows);

// The best query.limit rows that are eligible, the best first.
base::Result<std::vector<Ranked>> SelectEligible(Candidates& candidates, const RankQuery& query,
                                                 std::vector<Ranked> ranked);

}  // namespace memory
