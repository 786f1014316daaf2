// One row a place; a place without rules has none.
#include "sidecar/tables/retention.h"

namespace sidecar {

const char* const kRetentionStep = R"sql(
CREATE TABLE retention_told(project TEXT NOT NULL, destination TEXT NOT NULL, rules TEXT NOT NULL,
  PRIMARY KEY(project, destination)) STRICT;
)sql";

base::Result<std::vector<RetentionTold>> ReadRetentionTold(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT project, destination, rules FROM retention_told"
                                          " ORDER BY rowid"));
  std::vector<RetentionTold> told;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return told;
    told.push_back({query.Text(0), query.Text(1), query.Text(2)});
  }
}

base::Status NoteRetentionTold(sqlite::Database& db, const RetentionTold& told) {
  if (told.rules.empty()) {
    ASSIGN_OR_RETURN(
        auto remove,
        db.Prepare("DELETE FROM retention_told WHERE project = ? AND destination = ?"));
    return remove.Bind(told.project).Bind(told.destination).Run();
  }
  ASSIGN_OR_RETURN(auto insert,
                   db.Prepare("INSERT OR REPLACE INTO retention_told VALUES(?, ?, ?)"));
  return insert.Bind(told.project).Bind(told.destination).Bind(told.rules).Run();
}

}  // namespace sidecar
