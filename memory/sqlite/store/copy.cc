// Exports a store as one SQLite file: VACUUM INTO copies one snapshot, then deletes follow of
// everything that exports leave out. The copy can be imported, or replace a store's file.
#include <sys/stat.h>

#include "memory/sqlite/store/export.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/sqlite/tables/viewer.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Access;
using sqlite::Statement;

namespace {

constexpr const char* kLeaveOut =
    "DELETE FROM idempotency;"
    "DELETE FROM observations WHERE deleted_ms IS NOT NULL;"
    // Conversations belong to callers; a copy belongs to the tenant.
    "DELETE FROM block_forms;"
    "DELETE FROM blocks;"
    "DELETE FROM messages;"
    "DELETE FROM conversations;"
    "DELETE FROM conversation_bytes;"
    "DELETE FROM ledger;"
    "DELETE FROM task_states;"
    "DELETE FROM checkpoints;"
    "DELETE FROM working_memory;"
    "DELETE FROM ingest_turns;"
    "DELETE FROM turn_tokens;"
    // The copy lacks the rows that an undo needs; it has the log of the runs.
    "DELETE FROM trace_pairs;"
    "DELETE FROM consolidation_actions;"
    "UPDATE consolidation_log SET derive = '', request = '';"
    "DELETE FROM archive_access_log;"
    "DELETE FROM revisions WHERE id NOT IN (SELECT id FROM observations);"
    "DELETE FROM waiting WHERE slot NOT IN (SELECT slot FROM observations);"
    // Words of deleted rows stay in the index until its segments are merged.
    "INSERT INTO words(words) VALUES('optimize');";

// Expired rows are dropped like deleted rows, but are still indexed, so they leave the index first.
constexpr const char* kLeaveOver =
    "DELETE FROM revisions WHERE replaced_ms <= (SELECT kept_since(o.project, o.scope, o.type) "
    "FROM observations o WHERE o.id = revisions.id);"
    "INSERT INTO words(words, rowid, title, content, tags, grams) SELECT 'delete', w.slot, "
    "w.title, w.content, w.tags, w.grams FROM live_words w JOIN observations o ON o.slot = w.slot "
    "WHERE NOT (" MEMORY_LIVE
    ");"
    "UPDATE observations AS o SET deleted_ms = 0 WHERE o.deleted_ms IS NULL AND NOT (" MEMORY_LIVE
    ");";

// Edges to a merged trace lead to the live one that stands for it: the copy lacks the merged ones.
constexpr const char* kLeadEdges =
    "WITH RECURSIVE part(slot, uuid, root) AS ("
    "SELECT t.slot, t.uuid, t.slot FROM traces t JOIN observations o ON o.slot = t.slot WHERE "
    "o.deleted_ms IS NULL AND t.uuid IN (SELECT merged_into FROM traces) UNION ALL "
    "SELECT t.slot, t.uuid, p.root FROM part p JOIN traces t ON t.merged_into = p.uuid JOIN "
    "observations o ON o.slot = t.slot WHERE o.deleted_ms IS NOT NULL) "
    "INSERT INTO trace_edges SELECT e.from_slot, p.root, e.kind, e.weight FROM part p JOIN "
    "trace_edges e ON e.to_slot = p.slot WHERE p.slot <> p.root AND e.from_slot <> p.root "
    "ON CONFLICT DO UPDATE SET kind = excluded.kind, weight = excluded.weight WHERE "
    "excluded.weight > weight;";

// Without the traces that a viewer does not see, the sessions that only they made, and the log of
// deletions, which is of all viewers.
Status LeaveOutUnseen(sqlite::Database& database, const Viewer& viewer) {
  for (const char* sql :
       {"INSERT INTO words(words, rowid, title, content, tags, grams) SELECT 'delete', w.slot, "
        "w.title, w.content, w.tags, w.grams FROM live_words w JOIN observations o ON o.slot = "
        "w.slot WHERE NOT (true " MEMORY_SEEN_BY("?1", "?2", "?3") ")",
        "DELETE FROM observations AS o WHERE NOT (true " MEMORY_SEEN_BY("?1", "?2", "?3") ")"}) {
    ASSIGN_OR_RETURN(Statement leave_out, database.Prepare(sql));
    RETURN_IF_ERROR(BindViewer(leave_out, viewer).Run());
  }
  return database.Execute(
      "DELETE FROM sessions AS s WHERE s.implied <> 0 AND s.summarized_ms = 0 AND NOT "
      "EXISTS(SELECT 1 FROM observations o WHERE o.session = s.number);"
      "UPDATE salt SET value = lower(hex(randomblob(16)));"
      "DELETE FROM deletions;");
}

// Deletes all but one project: its rows, its sessions and its name.
Status KeepProject(sqlite::Database& database, const std::string& project) {
  ASSIGN_OR_RETURN(std::optional<int64_t> number, FindProject(database, project));
  for (const CellTable& table : CellTables())
    RETURN_IF_ERROR(table.leave_out(database, number.value_or(0), INT64_MIN));
  RETURN_IF_ERROR(database.Execute("INSERT INTO words(words) VALUES('delete-all')"));
  for (const char* sql :
       {// Deletions do not name their project: the copy has none of them, and another salt.
        "UPDATE salt SET value = lower(hex(randomblob(16))) WHERE ?1 = ?1",
        "DELETE FROM deletions WHERE ?1 = ?1", "DELETE FROM retention WHERE project <> ?1",
        "DELETE FROM consolidation_actions WHERE ?1 = ?1",
        "DELETE FROM consolidation_log WHERE json_extract(context, '$[0]') IS NOT "
        "(SELECT folded FROM projects WHERE number = ?1)",
        "DELETE FROM observations WHERE project <> ?1", "DELETE FROM sessions WHERE project <> ?1",
        "DELETE FROM ranges WHERE number NOT IN (0, ?1)",
        "DELETE FROM projects WHERE number <> ?1"}) {
    ASSIGN_OR_RETURN(Statement leave_out, database.Prepare(sql));
    RETURN_IF_ERROR(leave_out.Bind(number.value_or(0)).Run());
  }
  RETURN_IF_ERROR(database.Execute(kLeaveOut));
  return database.Execute("INSERT INTO words(words) VALUES('rebuild')");
}

Status VacuumInto(sqlite::Database& database, const Spool& spool) {
  ASSIGN_OR_RETURN(Statement copy, database.Prepare("VACUUM INTO ?1"));
  return copy.Bind(spool.path()).Run();
}

}  // namespace

Status CopyInto(const std::string& source, Spool& spool, std::stop_token stop) {
  int64_t bytes = 0;  // recent writes may be only in the WAL
  for (const char* part : {"", "-wal"}) {
    struct stat facts {};
    if (stat((source + part).c_str(), &facts) == 0) bytes += facts.st_size;
  }
  RETURN_IF_ERROR(spool.CheckRoom(bytes));
  sqlite::Database::Options copying;
  copying.access = Access::kCopier;
  copying.cache_kib = 1024;
  ASSIGN_OR_RETURN(sqlite::Database database, sqlite::Database::Open(source, copying));
  database.SetDeadline(0, std::move(stop));
  return VacuumInto(database, spool);
}

Result<std::shared_ptr<ExportCursor>> Store::OpenCopy(const std::string& path) {
  return OpenForeign(path);
}

Result<Spool> Store::NewUpload() {
  return Spool::Make(state_->path, SpoolCharge(state_->options.spools, state_->path));
}

Result<Spool> Store::Copy(const std::optional<std::string>& project,
                          const std::optional<Viewer>& viewer) {
  if (!state_->file) {
    return Error{Code::kInvalid,
                 "this server keeps its rows in PostgreSQL, not in a file: use format=jsonl"};
  }
  ASSIGN_OR_RETURN(std::shared_ptr<void> place, AcquireExportPlace(state_->exports));
  ASSIGN_OR_RETURN(Spool spool, NewUpload());
  spool.Hold(place);
  RETURN_IF_ERROR(spool.Charge(state_->usage.bytes()));  // including the WAL
  if (Status copied = CopyInto(state_->path, spool, state_->file->long_reads.token()); !copied) {
    if (copied.error().code != Code::kTimeout) return copied.error();
    return Error{Code::kUnavailable,
                 "the copy was ended, since the log of this namespace reached " +
                     std::to_string(state_->options.max_log_bytes) +
                     " bytes (max-log) meanwhile: try again when less is written, or use "
                     "format=jsonl, which holds no log"};
  }
  sqlite::Database::Options working;
  working.access = Access::kScratch;
  ASSIGN_OR_RETURN(sqlite::Database database, sqlite::Database::Open(spool.path(), working));
  RETURN_IF_ERROR(Liveness::RegisterFunction(state_->liveness, database));
  if (state_->liveness->policy()->Ends()) RETURN_IF_ERROR(database.Execute(kLeaveOver));
  RETURN_IF_ERROR(database.Execute(kLeadEdges));
  RETURN_IF_ERROR(
      PrepareCells(database, state_->cell_clock->NowMs(), state_->options.clock->NowMs()));
  if (viewer) RETURN_IF_ERROR(LeaveOutUnseen(database, *viewer));
  if (!project) RETURN_IF_ERROR(database.Execute(kLeaveOut));
  if (!project && !viewer) return spool;
  if (project) RETURN_IF_ERROR(KeepProject(database, *project));
  // A second copy, without free pages.
  ASSIGN_OR_RETURN(Spool small, NewUpload());
  small.Hold(place);
  ASSIGN_OR_RETURN(int64_t bytes, database.UsedBytes());
  RETURN_IF_ERROR(small.Charge(bytes));
  RETURN_IF_ERROR(VacuumInto(database, small));
  return small;
}

}  // namespace memory
