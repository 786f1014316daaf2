// Calls on a connection over SQLite's C interface. Opening is in open_file.cc, statements are in
// cursor.cc.
#include "lib/sqlite/database.h"

#include "lib/base/check.h"
#include "lib/sqlite/clean_pages.h"
#include "lib/sqlite/connection.h"
#include "lib/sqlite/library.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

Result<Statement> Database::Prepare(std::string_view sql) {
  SqliteCursor* cursor = connection_->statements.Take(sql);
  if (cursor) return Statement(*cursor, connection_);
  sqlite3_stmt* compiled = nullptr;
  int rc = sqlite3_prepare_v3(connection_->handle, sql.data(), static_cast<int>(sql.size()),
                              SQLITE_PREPARE_PERSISTENT, &compiled, nullptr);
  if (rc != SQLITE_OK) return connection_->Fail(rc, "prepare");
  cursor = new SqliteCursor(*connection_, compiled);
  connection_->statements.Note(sql, *cursor);
  return Statement(*cursor, connection_);
}

Status Database::Execute(const char* script) {
  int rc = sqlite3_exec(connection_->handle, script, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return connection_->Fail(rc, "execute");
  return {};
}

int64_t Database::LastInsertId() const { return sqlite3_last_insert_rowid(connection_->handle); }
int64_t Database::Changes() const { return sqlite3_changes64(connection_->handle); }
sqlite3* Database::handle() const { return connection_->handle; }
bool Database::Broken() const { return connection_->broken || DirectorySyncFailed(); }
bool Database::MetDamage() const { return connection_->damaged; }
void Database::ForgetDamage() { connection_->damaged = false; }
bool Database::MetFull() const { return connection_->full; }
void Database::ForgetFull() { connection_->full = false; }
std::vector<UnsoundRow> Database::TakeUnsoundRows() {
  return std::exchange(connection_->unsound, {});
}
int Database::LogPages() const { return connection_->log_pages; }
int64_t Database::LogBytes() const {
  constexpr int64_t kFrameBytes = 4096 + 24;
  return connection_->log_pages * kFrameBytes;
}

Status Database::Checkpoint(Log log, int wait_ms) {
  int mode = log == Log::kEmpty ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  // Frames that readers still need stay in the WAL until the next checkpoint.
  sqlite3_busy_timeout(connection_->handle, wait_ms);
  int pages = 0, copied = 0;
  int rc = sqlite3_wal_checkpoint_v2(connection_->handle, nullptr, mode, &pages, &copied);
  sqlite3_busy_timeout(connection_->handle, kBusyTimeoutMs);
  if (rc != SQLITE_OK) return connection_->Fail(rc, "checkpoint");
  // The next commit restarts the WAL, unless a reader uses it, and reports its new length.
  if (pages == copied) connection_->log_pages = 0;
  if (log != Log::kEmpty) return {};
  sqlite3_db_release_memory(connection_->handle);
  return {};
}

Result<int64_t> Database::CleanPages(int64_t first, int64_t count) {
  int64_t next = 0;
  int rc = CleanPagesOf(connection_->handle, first, count, next);
  if (rc != SQLITE_OK) return connection_->Fail(rc, "clean pages");
  return next;
}

Result<int64_t> Database::Number(const char* pragma) {
  ASSIGN_OR_RETURN(Statement read, Prepare(pragma));
  ASSIGN_OR_RETURN(bool row, read.Step());
  return row ? read.Int(0) : int64_t{0};
}

Result<int64_t> Database::ReusableBytes() {
  ASSIGN_OR_RETURN(int64_t pages, Number("PRAGMA freelist_count"));
  int64_t& bytes = connection_->page_bytes;
  if (bytes == 0) {
    ASSIGN_OR_RETURN(bytes, Number("PRAGMA page_size"));
  }
  return pages * bytes;
}

Result<int64_t> Database::UsedBytes() {
  ASSIGN_OR_RETURN(int64_t pages, Number("PRAGMA page_count"));
  ASSIGN_OR_RETURN(int64_t reusable, ReusableBytes());
  return pages * connection_->page_bytes - reusable;
}

// A cached statement, since parsing costs more than taking a snapshot.
Status Database::RunCached(const char* statement) {
  ASSIGN_OR_RETURN(Statement run, Prepare(statement));
  return run.Run();
}

Status Database::WithinLimits() {
  return connection_->limits->Over() ? Status(connection_->Fail(SQLITE_INTERRUPT, "read"))
                                     : Status();
}

const std::shared_ptr<sql::Limits>& Database::limits() const { return connection_->limits; }

Status Database::CheckIntegrity(const std::vector<std::string>& fts_tables) {
  ASSIGN_OR_RETURN(Statement check, Prepare("PRAGMA integrity_check(1)"));
  ASSIGN_OR_RETURN(bool row, check.Step());
  if (!row || check.Text(0) != "ok") {
    return Error{Code::kInternal,
                 "the database is damaged: " + (row ? check.Text(0) : std::string("no answer"))};
  }
  for (const std::string& table : fts_tables) RETURN_IF_ERROR(CheckIndex(table));
  return {};
}

Status Database::CheckIndex(const std::string& fts_table) {
  // SQLite cannot bind names of tables.
  std::string sql =
      "INSERT INTO " + fts_table + "(" + fts_table + ", rank) VALUES('integrity-check', 1)";
  Status sound = Execute(sql.c_str());
  return sound ? Status() : base::Wrap("full-text index " + fts_table, sound.error());
}

Result<int> Database::Begin() {
  const int depth = connection_->depth;
  ASSIGN_OR_RETURN(Statement begin, Prepare(depth == 0 ? std::string("BEGIN IMMEDIATE")
                                                       : "SAVEPOINT s" + std::to_string(depth)));
  RETURN_IF_ERROR(begin.Run());
  ++connection_->depth;
  return depth;
}

void Database::RollBack(int depth) {
  std::string name = "s" + std::to_string(depth);
  std::string script = depth == 0 ? "ROLLBACK" : "ROLLBACK TO " + name + "; RELEASE " + name;
  // SQLite may have rolled back by itself (disk full): nothing is left to undo.
  if (!sqlite3_get_autocommit(connection_->handle)) {
    Status undone = Execute(script.c_str());
    // A virtual table with corrupt shadow tables may refuse RELEASE after a successful ROLLBACK TO.
    // Then the whole transaction rolls back, and a later COMMIT finds no transaction.
    if (!undone && !sqlite3_get_autocommit(connection_->handle)) undone = Execute("ROLLBACK");
    CHECK(undone || sqlite3_get_autocommit(connection_->handle));
  }
  connection_->depth = depth;
}

Status Database::Commit(int depth) {
  CHECK(connection_->depth == depth + 1);
  ASSIGN_OR_RETURN(Statement end, Prepare(depth == 0 ? std::string("COMMIT")
                                                     : "RELEASE s" + std::to_string(depth)));
  RETURN_IF_ERROR(end.Run());
  connection_->depth = depth;
  return {};
}

}  // namespace sqlite
