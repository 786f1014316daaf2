// Orders rows that a recall ranked by the strength of those that are traces: what is fading gives
// way to what is alike and fresh. Observations that are no traces keep their score.
#pragma once

#include <vector>

#include "lib/sql/database.h"
#include "memory/model/fusion.h"
#include "memory/model/strength.h"

namespace memory {

// Best first again. A trace of strength 0 keeps 7/10 of its score.
base::Status OrderByStrength(sql::Database& database, std::vector<Ranked>& rows, int64_t now_ms,
                             const StrengthRules& rules);

}  // namespace memory
