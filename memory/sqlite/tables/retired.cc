// Hides single rows.
#include "memory/sqlite/tables/retired.h"

#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/tables/waiting.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

Status Retire(Database& database, int64_t slot, const char* reason, int64_t now_ms) {
  RETURN_IF_ERROR(RemoveFromIndex(database, slot));
  ASSIGN_OR_RETURN(Statement hide,
                   database.Prepare("UPDATE observations SET deleted_ms = ?2 WHERE slot = ?1"));
  RETURN_IF_ERROR(hide.Bind(slot).Bind(now_ms).Run());
  ASSIGN_OR_RETURN(Statement note,
                   database.Prepare("INSERT INTO retired VALUES(?1, ?2) ON CONFLICT(slot) DO "
                                    "UPDATE SET reason = excluded.reason"));
  return note.Bind(slot).Bind(reason).Run();
}

Result<bool> IsRetired(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT 1 FROM retired WHERE slot = ?1"));
  return read.Bind(slot).Step();
}

Status FreeTopic(Database& database, const std::string& topic_key, int64_t project,
                 const std::string& scope, int64_t now_ms) {
  if (topic_key.empty()) return {};
  // An import can give a topic to a trace of one user, Agent or conversation. No write by the topic
  // may find that row, so it gives the topic up.
  ASSIGN_OR_RETURN(
      Statement yields,
      database.Prepare(
          "UPDATE observations AS o SET topic_key = NULL WHERE o.topic_key = ?1 AND "
          "o.project = ?2 AND o.scope = ?3 AND o.deleted_ms IS NULL AND NOT (true " MEMORY_FOR_ALL
          ")"));
  RETURN_IF_ERROR(yields.Bind(topic_key).Bind(project).Bind(scope).Run());
  std::optional<int64_t> over;
  {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare("SELECT o.slot FROM observations o WHERE o.topic_key = ?1 AND o.project = "
                         "?2 AND o.scope = ?3 AND o.deleted_ms IS NULL AND NOT (" MEMORY_LIVE ")"));
    read.Bind(topic_key).Bind(project).Bind(scope);
    ASSIGN_OR_RETURN(over, read.ReadFirst([](const Statement& row) { return row.Int(0); }));
  }
  return over ? Retire(database, *over, "ttl", now_ms) : Status();
}

}  // namespace memory
