// Connections and statements over SQLite's C interface. Opening is in open_file.cc.
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
  sqlite3_stmt* statement = connection_->statements.Take(sql);
  if (statement) return Statement(connection_, statement);
  int rc = sqlite3_prepare_v3(connection_->handle, sql.data(), static_cast<int>(sql.size()),
                              SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (rc != SQLITE_OK) return connection_->Fail(rc, "prepare");
  connection_->statements.Note(sql, statement);
  return Statement(connection_, statement);
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

void Database::SetDeadline(int64_t milliseconds, std::stop_token stop) {
  Connection::Limit& limit = connection_->limits.front();
  limit.stop = std::move(stop);
  limit.deadline_ms = milliseconds == 0 ? 0 : connection_->clock->MonotonicMs() + milliseconds;
}

Status Database::WithinLimits() {
  return connection_->Over() ? Status(connection_->Fail(SQLITE_INTERRUPT, "read")) : Status();
}

TimeLimit::TimeLimit(Database& database, int64_t milliseconds, std::stop_token stop, Error error)
    : connection_(database.connection_), place_(connection_->limits.size()) {
  connection_->limits.push_back(
      {connection_->clock->MonotonicMs() + milliseconds, std::move(stop), std::move(error)});
}

TimeLimit::~TimeLimit() {
  if (!connection_) return;
  CHECK(connection_->limits.size() == place_ + 1);
  connection_->limits.pop_back();
}

bool TimeLimit::Met() const { return connection_->limits[place_].met; }

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

Statement::Statement(std::shared_ptr<Connection> connection, sqlite3_stmt* statement)
    : connection_(std::move(connection)), statement_(statement) {}

Statement::Statement(Statement&& other) noexcept
    : connection_(std::move(other.connection_)),
      statement_(std::exchange(other.statement_, nullptr)),
      next_(other.next_),
      bind_error_(other.bind_error_) {}

Statement::~Statement() {
  if (!statement_) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  connection_->statements.Give(statement_);
}

Statement& Statement::Bind(int64_t value) {
  bind_error_ |= sqlite3_bind_int64(statement_, next_++, value);
  return *this;
}
Statement& Statement::Bind(double value) {
  bind_error_ |= sqlite3_bind_double(statement_, next_++, value);
  return *this;
}
Statement& Statement::Bind(std::string_view text) {
  bind_error_ |= sqlite3_bind_text64(statement_, next_++, text.data() ? text.data() : "",
                                     text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}
Statement& Statement::Bind(const std::optional<std::string>& text) {
  return text ? Bind(std::string_view(*text)) : BindNull();
}
Statement& Statement::BindNull() {
  bind_error_ |= sqlite3_bind_null(statement_, next_++);
  return *this;
}
Statement& Statement::BindBlob(std::string_view bytes) {
  bind_error_ |= sqlite3_bind_blob64(statement_, next_++, bytes.data() ? bytes.data() : "",
                                     bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::BindRow(const Statement& from, int first) {
  for (int column = first; column < sqlite3_column_count(from.statement_); ++column) {
    bind_error_ |=
        sqlite3_bind_value(statement_, next_++, sqlite3_column_value(from.statement_, column));
  }
  return *this;
}

Result<bool> Statement::Step() {
  if (bind_error_ != SQLITE_OK) return connection_->Fail(bind_error_, "bind");
  int rc = sqlite3_step(statement_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return connection_->Fail(rc, "step");
}

Status Statement::Run() {
  for (;;) {
    ASSIGN_OR_RETURN(bool row, Step());
    if (!row) return {};
  }
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::Real(int column) const { return sqlite3_column_double(statement_, column); }
bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
std::string Statement::Text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  int size = sqlite3_column_bytes(statement_, column);
  return bytes ? std::string(static_cast<const char*>(bytes), static_cast<size_t>(size))
               : std::string();
}
std::optional<std::string> Statement::OptionalText(int column) const {
  if (IsNull(column)) return std::nullopt;
  return Text(column);
}

Result<Transaction> Transaction::Begin(Database& database) {
  int depth = database.connection_->depth;
  ASSIGN_OR_RETURN(Statement begin,
                   database.Prepare(depth == 0 ? std::string("BEGIN IMMEDIATE")
                                               : "SAVEPOINT s" + std::to_string(depth)));
  RETURN_IF_ERROR(begin.Run());
  ++database.connection_->depth;
  return Transaction(database, depth);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), depth_(other.depth_) {}

Transaction::~Transaction() {
  if (!database_) return;
  std::string name = "s" + std::to_string(depth_);
  std::string script = depth_ == 0 ? "ROLLBACK" : "ROLLBACK TO " + name + "; RELEASE " + name;
  // SQLite may have rolled back by itself (disk full): nothing is left to undo.
  if (!sqlite3_get_autocommit(database_->handle())) {
    Status undone = database_->Execute(script.c_str());
    // A virtual table with corrupt shadow tables may refuse RELEASE after a successful ROLLBACK TO.
    // Then the whole transaction rolls back, and a later COMMIT finds no transaction.
    if (!undone && !sqlite3_get_autocommit(database_->handle()))
      undone = database_->Execute("ROLLBACK");
    CHECK(undone || sqlite3_get_autocommit(database_->handle()));
  }
  database_->connection_->depth = depth_;
}

Status Transaction::Commit() {
  CHECK(database_ != nullptr && database_->connection_->depth == depth_ + 1);
  ASSIGN_OR_RETURN(Statement end,
                   database_->Prepare(depth_ == 0 ? std::string("COMMIT")
                                                  : "RELEASE s" + std::to_string(depth_)));
  RETURN_IF_ERROR(end.Run());
  database_->connection_->depth = depth_;
  database_ = nullptr;
  return {};
}

}  // namespace sqlite
