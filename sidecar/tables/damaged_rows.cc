// One small table; damaged rows stay in their tables, for inspection.
#include "sidecar/tables/damaged_rows.h"

namespace sidecar {

using base::Result;

const char* const kDamagedRowsStep = R"sql(
CREATE TABLE damaged_rows(
  name TEXT NOT NULL,
  place INTEGER NOT NULL,
  found_ms INTEGER NOT NULL,
  PRIMARY KEY(name, place)
) STRICT, WITHOUT ROWID;
)sql";

Result<std::vector<sqlite::UnsoundRow>> NoteDamagedRows(sqlite::Database& db,
                                                        const std::vector<sqlite::UnsoundRow>& rows,
                                                        int64_t now_ms) {
  std::vector<sqlite::UnsoundRow> found;
  for (const sqlite::UnsoundRow& row : rows) {
    ASSIGN_OR_RETURN(auto insert,
                     db.Prepare("INSERT OR IGNORE INTO damaged_rows(name, place, found_ms)"
                                " SELECT ?, ?, ? WHERE (SELECT count(*) FROM damaged_rows) < ?"));
    insert.Bind(row.table).Bind(row.rowid).Bind(now_ms).Bind(kMostDamagedRows);
    RETURN_IF_ERROR(insert.Run());
    if (db.Changes() > 0) found.push_back(row);
  }
  return found;
}

Result<std::map<std::string, int64_t>> CountDamagedRows(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT name, count(*) FROM damaged_rows GROUP BY name"));
  std::map<std::string, int64_t> counts;
  RETURN_IF_ERROR(
      query.ForEachRow([&](const sqlite::Statement& row) { counts[row.Text(0)] = row.Int(1); }));
  return counts;
}

}  // namespace sidecar
