// Statements over idempotency. Rows of earlier versions have no digest.
#include "memory/sqlite/tables/keys.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

Result<std::string> SaltOf(Database& database) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT value FROM salt"));
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return Error{Code::kInternal, "the file has no salt"};
  return read.Text(0);
}

Result<std::optional<KeptAnswer>> SqliteAnswers::Find(const std::string& key, int64_t oldest_ms) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT id, action, revision_count, duplicate_count, digest "
                                     "FROM idempotency WHERE key = ?1 AND used_ms >= ?2"));
  return read.Bind(key).Bind(oldest_ms).ReadFirst([](const Statement& row) {
    return KeptAnswer{{row.Int(0), row.Text(1), row.Int(2), row.Int(3)},
                      row.IsNull(4) ? std::nullopt : std::optional(row.Int(4))};
  });
}

Status SqliteAnswers::Keep(const std::string& key, const KeptAnswer& answer, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement add,
      database_.Prepare(
          "INSERT INTO idempotency(key, id, action, revision_count, "
          "duplicate_count, used_ms, digest) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(key) "
          "DO UPDATE SET id = excluded.id, action = excluded.action, revision_count = "
          "excluded.revision_count, duplicate_count = excluded.duplicate_count, used_ms = "
          "excluded.used_ms, digest = excluded.digest"));
  const Saved& saved = answer.saved;
  add.Bind(key).Bind(saved.id).Bind(saved.action).Bind(saved.revision_count);
  return add.Bind(saved.duplicate_count).Bind(now_ms).Bind(answer.digest).Run();
}

}  // namespace memory
