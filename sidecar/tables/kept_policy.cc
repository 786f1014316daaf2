// A table of one row.
#include "sidecar/tables/kept_policy.h"

namespace sidecar {
namespace {

using base::Result;
using base::Status;

}  // namespace

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

}  // namespace sidecar
