// Reads the stored strength of the ranked rows; strength.h has the curve.
#include "memory/sqlite/traces/strength_order.h"

#include <algorithm>

namespace memory {

using base::Status;
using sql::Statement;

namespace {

constexpr double kShareOfStrength = 0.3;

}  // namespace

Status OrderByStrength(sql::Database& database, std::vector<Ranked>& rows, int64_t now_ms,
                       const StrengthRules& rules) {
  for (Ranked& row : rows) {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare("SELECT t.strength, t.accessed_ms, t.retrievals, t.remind_ms, o.type FROM "
                         "traces t JOIN observations o ON o.slot = t.slot WHERE t.slot = ?1"));
    ASSIGN_OR_RETURN(const bool is_trace, read.Bind(row.slot).Step());
    if (!is_trace) continue;
    std::optional<int64_t> remind_ms;
    if (!read.IsNull(3)) remind_ms = read.Int(3);
    const double strength = StrengthAt({read.Real(0), read.Int(1), read.Int(2)}, read.Text(4),
                                       remind_ms, now_ms, rules);
    row.score *= 1 - kShareOfStrength * (1 - std::clamp(strength, 0.0, 1.0));
  }
  std::stable_sort(rows.begin(), rows.end(), IsRankedBefore);
  return {};
}

}  // namespace memory
