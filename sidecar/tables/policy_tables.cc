// A table of one row, and one with a row for each project and server with rules.
#include "sidecar/tables/policy_tables.h"

namespace sidecar {

using base::Result;
using base::Status;

const char* const kKeptPolicySchema = R"sql(
CREATE TABLE kept_policy(
  only_one INTEGER PRIMARY KEY CHECK(only_one = 1),
  file TEXT NOT NULL,
  loaded_ms INTEGER NOT NULL
) STRICT;
)sql";

Status KeepPolicy(sqlite::Database& db, const std::string& file, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto insert, db.Prepare("INSERT OR REPLACE INTO kept_policy(only_one, file,"
                                           " loaded_ms) VALUES(1,?,?)"));
  return insert.Bind(file).Bind(now_ms).Run();
}

Result<std::optional<std::string>> KeptPolicy(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT file FROM kept_policy"));
  return query.ReadFirst([](const sqlite::Statement& row) { return row.Text(0); });
}

const char* const kRetentionStep = R"sql(
CREATE TABLE retention_told(project TEXT NOT NULL, destination TEXT NOT NULL, rules TEXT NOT NULL,
  PRIMARY KEY(project, destination)) STRICT;
)sql";

Result<std::vector<PublishedRetention>> ReadPublishedRetention(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT project, destination, rules FROM retention_told"
                                          " ORDER BY rowid"));
  return query.ReadAll([](const sqlite::Statement& row) {
    return PublishedRetention{row.Text(0), row.Text(1), row.Text(2)};
  });
}

Status SavePublishedRetention(sqlite::Database& db, const PublishedRetention& published) {
  if (published.rules.empty()) {
    ASSIGN_OR_RETURN(
        auto remove,
        db.Prepare("DELETE FROM retention_told WHERE project = ? AND destination = ?"));
    return remove.Bind(published.project).Bind(published.destination).Run();
  }
  ASSIGN_OR_RETURN(auto insert,
                   db.Prepare("INSERT OR REPLACE INTO retention_told VALUES(?, ?, ?)"));
  return insert.Bind(published.project).Bind(published.destination).Bind(published.rules).Run();
}

}  // namespace sidecar
