// One row for each project and server with rules.
#include "sidecar/tables/retention.h"

namespace sidecar {

const char* const kRetentionStep = R"sql(
CREATE TABLE retention_told(project TEXT NOT NULL, destination TEXT NOT NULL, rules TEXT NOT NULL,
  PRIMARY KEY(project, destination)) STRICT;
)sql";

base::Result<std::vector<PublishedRetention>> ReadPublishedRetention(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT project, destination, rules FROM retention_told"
                                          " ORDER BY rowid"));
  return query.ReadAll([](const sqlite::Statement& row) {
    return PublishedRetention{row.Text(0), row.Text(1), row.Text(2)};
  });
}

base::Status SavePublishedRetention(sqlite::Database& db, const PublishedRetention& told) {
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
