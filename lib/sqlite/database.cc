// Connections and statements over SQLite's C interface.
#include "lib/sqlite/database.h"

#include <sys/stat.h>
#include <sys/vfs.h>

#include <map>
#include <mutex>

#include "lib/base/check.h"
#include "lib/base/clock.h"
#include "lib/sqlite/errors.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

// What a Database, its Statements and its cache of compiled texts share.
struct Database::Connection {
  sqlite3* handle = nullptr;
  int64_t deadline_ms = 0;  // monotonic; 0: none
  int depth = 0;            // of nested transactions
  std::multimap<std::string, sqlite3_stmt*, std::less<>> idle;

  ~Connection() {
    for (auto& [sql, statement] : idle) sqlite3_finalize(statement);
    sqlite3_close_v2(handle);
  }
  static int Progress(void* self) {
    auto* connection = static_cast<Connection*>(self);
    return connection->deadline_ms != 0 &&
           base::SystemClock().MonotonicMs() > connection->deadline_ms;
  }
};

namespace {

constexpr int kOldestVersion = 3040001;  // Debian 12; what the tests ran with

// Once per process. Without memory statistics reads scale over threads (retrieval §0.8); the heap
// limit keeps a bad query from taking the process down.
void ConfigureLibrary() {
  static std::once_flag once;
  std::call_once(once, [] {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
  });
}

// WAL needs shared memory of one host: network file systems are refused.
Status CheckFileSystem(const std::string& path) {
  std::string directory = path.substr(0, path.find_last_of('/') + 1);
  struct statfs facts {};
  if (statfs(directory.empty() ? "." : directory.c_str(), &facts) != 0)
    return {};  // open will say why
  for (auto [magic, name] : {std::pair{0x6969L, "NFS"},
                             {0x517BL, "SMB"},
                             {0xFF534D42L, "CIFS"},
                             {0xFE534D42L, "SMB2"}}) {
    if (static_cast<long>(facts.f_type) == magic) {
      return Error{Code::kInvalid,
                   directory + " is on " + name + ": the database needs a local file system"};
    }
  }
  return {};
}

struct Pragma {
  const char* set;
  const char* get;
  const char* wanted;
};

// Sets each pragma and reads it back: a silent refusal must not pass (rulings X5).
Status ApplyPragmas(Database& database, const std::vector<Pragma>& pragmas) {
  for (const Pragma& pragma : pragmas) {
    RETURN_IF_ERROR(database.Execute(pragma.set));
    ASSIGN_OR_RETURN(Statement read, database.Prepare(pragma.get));
    ASSIGN_OR_RETURN(bool row, read.Step());
    std::string value = row ? read.Text(0) : "";
    if (value != pragma.wanted) {
      return Error{Code::kInvalid, std::string(pragma.get) + " is '" + value + "', it must be '" +
                                       pragma.wanted + "'"};
    }
  }
  return {};
}

}  // namespace

Result<Database> Database::Open(const std::string& path, const Options& options) {
  ConfigureLibrary();
  if (sqlite3_libversion_number() < kOldestVersion || !sqlite3_compileoption_used("ENABLE_FTS5")) {
    return Error{Code::kInvalid, std::string("SQLite ") + sqlite3_libversion() +
                                     " will not do: 3.40.1 or later with FTS5 is needed"};
  }
  RETURN_IF_ERROR(CheckFileSystem(path));
  auto connection = std::make_shared<Connection>();
  bool writer = options.access == Access::kWriter;
  mode_t old_mask = umask(0077);
  int rc = sqlite3_open_v2(path.c_str(), &connection->handle,
                           SQLITE_OPEN_READWRITE | (writer ? SQLITE_OPEN_CREATE : 0) |
                               SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                           nullptr);
  umask(old_mask);
  if (rc != SQLITE_OK) return MakeError(connection->handle, rc, "open " + path);
  sqlite3* handle = connection->handle;
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, writer ? 0 : 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_busy_timeout(handle, 5000);
  sqlite3_progress_handler(handle, 2000, Connection::Progress, connection.get());

  Database database(connection);
  std::vector<Pragma> pragmas = {
      {"PRAGMA foreign_keys=ON", "PRAGMA foreign_keys", "1"},
      {"PRAGMA trusted_schema=OFF", "PRAGMA trusted_schema", "0"},
      {"PRAGMA cell_size_check=ON", "PRAGMA cell_size_check", "1"},
      {"PRAGMA mmap_size=0", "PRAGMA mmap_size", "0"},
      {"PRAGMA temp_store=MEMORY", "PRAGMA temp_store", "2"},
  };
  if (writer) {
    pragmas.insert(pragmas.begin(), {"PRAGMA journal_mode=WAL", "PRAGMA journal_mode", "wal"});
    pragmas.push_back({"PRAGMA synchronous=FULL", "PRAGMA synchronous", "2"});
    pragmas.push_back({"PRAGMA secure_delete=ON", "PRAGMA secure_delete", "1"});
    pragmas.push_back(
        {"PRAGMA journal_size_limit=67108864", "PRAGMA journal_size_limit", "67108864"});
  } else {
    pragmas.push_back({"PRAGMA query_only=ON", "PRAGMA query_only", "1"});
  }
  if (Status applied = ApplyPragmas(database, pragmas); !applied)
    return base::Wrap(path, applied.error());
  // A connection that must not checkpoint: exactly one may (the WAL-reset bug of 3.7.0 to 3.51.2).
  RETURN_IF_ERROR(database.Execute(
      ("PRAGMA wal_autocheckpoint=" + std::to_string(writer ? options.wal_autocheckpoint_pages : 0))
          .c_str()));
  RETURN_IF_ERROR(
      database.Execute(("PRAGMA cache_size=-" + std::to_string(options.cache_kib)).c_str()));
  return database;
}

Result<Statement> Database::Prepare(std::string_view sql) {
  auto cached = connection_->idle.find(sql);
  if (cached != connection_->idle.end()) {
    sqlite3_stmt* statement = cached->second;
    connection_->idle.erase(cached);
    return Statement(connection_, statement);
  }
  sqlite3_stmt* statement = nullptr;
  int rc = sqlite3_prepare_v3(connection_->handle, sql.data(), static_cast<int>(sql.size()),
                              SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (rc != SQLITE_OK) return MakeError(connection_->handle, rc, "prepare");
  return Statement(connection_, statement);
}

Status Database::Execute(const char* script) {
  int rc = sqlite3_exec(connection_->handle, script, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return MakeError(connection_->handle, rc, "execute");
  return {};
}

int64_t Database::LastInsertId() const { return sqlite3_last_insert_rowid(connection_->handle); }
int64_t Database::Changes() const { return sqlite3_changes64(connection_->handle); }
sqlite3* Database::handle() const { return connection_->handle; }

void Database::SetDeadline(int64_t milliseconds) {
  connection_->deadline_ms =
      milliseconds == 0 ? 0 : base::SystemClock().MonotonicMs() + milliseconds;
}

Status Database::CheckIntegrity(const std::vector<std::string>& fts_tables) {
  ASSIGN_OR_RETURN(Statement check, Prepare("PRAGMA integrity_check(1)"));
  ASSIGN_OR_RETURN(bool row, check.Step());
  if (!row || check.Text(0) != "ok") {
    return Error{Code::kInternal,
                 "the database is damaged: " + (row ? check.Text(0) : std::string("no answer"))};
  }
  for (const std::string& table : fts_tables) {
    // The table's name is ours; names cannot be bound. Rank 1 compares with the content (rulings
    // K42).
    std::string sql = "INSERT INTO " + table + "(" + table + ", rank) VALUES('integrity-check', 1)";
    if (Status sound = Execute(sql.c_str()); !sound)
      return base::Wrap("full-text index " + table, sound.error());
  }
  return {};
}

Statement::Statement(std::shared_ptr<Database::Connection> connection, sqlite3_stmt* statement)
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
  if (connection_->idle.size() < 128) {
    connection_->idle.emplace(sqlite3_sql(statement_), statement_);
  } else {
    sqlite3_finalize(statement_);
  }
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

Result<bool> Statement::Step() {
  if (bind_error_ != SQLITE_OK) return MakeError(connection_->handle, bind_error_, "bind");
  int rc = sqlite3_step(statement_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return MakeError(connection_->handle, rc, "step");
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
  RETURN_IF_ERROR(database.Execute(depth == 0 ? "BEGIN IMMEDIATE"
                                              : ("SAVEPOINT s" + std::to_string(depth)).c_str()));
  ++database.connection_->depth;
  return Transaction(database, depth);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), depth_(other.depth_) {}

Transaction::~Transaction() {
  if (!database_) return;
  std::string name = "s" + std::to_string(depth_);
  std::string script = depth_ == 0 ? "ROLLBACK" : "ROLLBACK TO " + name + "; RELEASE " + name;
  // SQLite may have rolled back by itself (disk full): there is then nothing to undo.
  if (!sqlite3_get_autocommit(database_->handle())) {
    Status undone = database_->Execute(script.c_str());
    CHECK(undone || sqlite3_get_autocommit(database_->handle()));
  }
  database_->connection_->depth = depth_;
}

Status Transaction::Commit() {
  CHECK(database_ != nullptr && database_->connection_->depth == depth_ + 1);
  RETURN_IF_ERROR(
      database_->Execute(depth_ == 0 ? "COMMIT" : ("RELEASE s" + std::to_string(depth_)).c_str()));
  database_->connection_->depth = depth_;
  database_ = nullptr;
  return {};
}

}  // namespace sqlite
