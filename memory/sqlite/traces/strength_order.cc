// Reads the stored strength of the ranked rows; strength.h has the curve.
#include "memory/sqlite/traces/strength_order.h"

#include <algorithm>
#include <unordered_map>

#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Status;
using sql::Statement;

namespace {

constexpr double kShareOfStrength = 0.3;

}  // namespace

Status OrderByStrength(sql::Database& database, std::vector<Ranked>& rows, int64_t now_ms,
                       const StrengthRules& rules) {
  if (rows.empty()) return {};
  std::vector<int64_t> slots;
  for (const Ranked& row : rows) slots.push_back(row.slot);
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT t.strength, t.accessed_ms, t.retrievals, t.remind_ms, o.type, "
          "t.slot FROM " MEMORY_LISTED
          "CROSS JOIN traces t JOIN observations o ON o.slot = t.slot WHERE t.slot = j.slot"));
  std::unordered_map<int64_t, double> strengths;
  RETURN_IF_ERROR(BindList(read, slots).ForEachRow([&](const Statement& row) {
    std::optional<int64_t> remind_ms;
    if (!row.IsNull(3)) remind_ms = row.Int(3);
    strengths[row.Int(5)] =
        StrengthAt({row.Real(0), row.Int(1), row.Int(2)}, row.Text(4), remind_ms, now_ms, rules);
  }));
  for (Ranked& row : rows) {
    const auto of = strengths.find(row.slot);
    if (of == strengths.end()) continue;
    row.score *= 1 - kShareOfStrength * (1 - std::clamp(of->second, 0.0, 1.0));
  }
  std::stable_sort(rows.begin(), rows.end(), IsRankedBefore);
  return {};
}

}  // namespace memory
