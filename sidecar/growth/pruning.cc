// A conversation may be deleted only when it has ended and the outbox has none of its writes.
#include "sidecar/growth/pruning.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "sidecar/growth/growth_tables.h"

namespace sidecar {
namespace {

using base::Result;
using base::Status;

// A lane is a memory session of the conversation, or the conversation itself. Dead letters count,
// since they may be replayed.
Result<bool> HasWrites(sqlite::Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT 1 FROM outbox WHERE lane = ?1 OR lane IN"
                              " (SELECT id FROM memory_sessions WHERE conversation = ?1) LIMIT 1"));
  query.Bind(id);
  return query.Step();
}

Result<bool> MayGo(sqlite::Database& db, const std::string& id, int64_t before_ms) {
  ASSIGN_OR_RETURN(const auto found, conversation::SqliteRows(db).FindConversation(id));
  if (!found || found->state != "ended" || found->updated_ms > before_ms) return false;
  ASSIGN_OR_RETURN(const bool waits, HasWrites(db, id));
  return !waits;
}

Result<std::vector<int64_t>> Numbers(sqlite::Database& db, const char* find, const std::string& id,
                                     int64_t limit) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(find));
  query.Bind(id).Bind(limit);
  return query.ReadAll([](const sqlite::Statement& row) { return row.Int(0); });
}

}  // namespace

int64_t AdvanceRetentionClock(int64_t aged_ms, int64_t gain_ms, int64_t now_ms) {
  return std::min(now_ms, aged_ms + std::max<int64_t>(gain_ms, 0));
}

Result<int64_t> LoadRetentionClock(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT now_ms FROM aged"));
  ASSIGN_OR_RETURN(const bool found, query.Step());
  return found ? query.Int(0) : int64_t{0};
}

Status SaveRetentionClock(sqlite::Database& db, int64_t aged_ms) {
  ASSIGN_OR_RETURN(auto save,
                   db.Prepare("INSERT OR REPLACE INTO aged(only_one, now_ms) VALUES(1, ?)"));
  return save.Bind(aged_ms).Run();
}

Result<int64_t> PruneRows(sqlite::Database& db, const std::string& id, int64_t before_ms,
                          int64_t limit) {
  ASSIGN_OR_RETURN(const bool may, MayGo(db, id, before_ms));
  int64_t removed = 0;
  if (!may) return removed;
  constexpr std::pair<const char*, const char*> kTables[] = {
      {"SELECT number FROM messages WHERE conversation = ? ORDER BY sequence LIMIT ?",
       "DELETE FROM messages WHERE number = ?"},
      {"SELECT number FROM blocks WHERE conversation = ? ORDER BY block LIMIT ?",
       "DELETE FROM blocks WHERE number = ?"},
      {"SELECT number FROM injections WHERE conversation = ? ORDER BY turn LIMIT ?",
       "DELETE FROM injections WHERE number = ?"}};
  for (const auto& [find, remove] : kTables) {
    ASSIGN_OR_RETURN(const auto numbers, Numbers(db, find, id, limit));
    ASSIGN_OR_RETURN(removed, RemoveNumbers(db, remove, numbers));
    if (removed > 0) return removed;
  }
  ASSIGN_OR_RETURN(auto answers,
                   db.Prepare("DELETE FROM handled_events WHERE conversation = ?1 AND event IN"
                              " (SELECT event FROM handled_events WHERE conversation = ?1"
                              " LIMIT ?2)"));
  RETURN_IF_ERROR(answers.Bind(id).Bind(limit).Run());
  return db.Changes();
}

Result<bool> PruneConversation(sqlite::Database& db, const std::string& id, int64_t before_ms) {
  ASSIGN_OR_RETURN(const bool may, MayGo(db, id, before_ms));
  if (!may) return false;
  for (const char* sql :
       {"DELETE FROM handled_events WHERE conversation = ?",
        "DELETE FROM injections WHERE conversation = ?",
        "DELETE FROM ledger WHERE conversation = ?",
        "DELETE FROM task_states WHERE conversation = ?",
        "DELETE FROM checkpoints WHERE conversation = ?",
        "DELETE FROM memory_sessions WHERE conversation = ?",
        "DELETE FROM messages WHERE conversation = ?", "DELETE FROM conversations WHERE id = ?"}) {
    ASSIGN_OR_RETURN(auto remove, db.Prepare(sql));
    RETURN_IF_ERROR(remove.Bind(id).Run());
  }
  return true;
}

}  // namespace sidecar
