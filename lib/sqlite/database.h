// SQLite behind values and Results: Database, Statement, Transaction. Opening sets every pragma
// that durability depends on and reads it back. One thread at a time uses a connection.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sqlite/row_checksum.h"

namespace sqlite {

enum class Access {
  kWriter,   // WAL, synchronous FULL; the one connection of a file that writes and checkpoints
  kReader,   // query_only, no checkpoints
  kCopier,   // a reader that may create another file: for VACUUM INTO only
  kScratch,  // a temporary file, disposable after a crash: no journal, no sync
  kForeign,  // an untrusted file: read-only, immutable, its schema calls no functions
};

struct Connection;  // connection.h
class Statement;

class Database {
 public:
  struct Options {
    Access access = Access::kWriter;
    int cache_kib = 2048;
    // Receives each error that reports corruption, and each that makes the connection Broken, on
    // the thread of the call.
    std::function<void(const base::Error&)> on_damage = nullptr, on_broken = nullptr;
    const base::Clock* clock = nullptr;  // for deadlines; null: the system's
  };
  // Opens or creates the file (mode 0600); a writer checkpoints the WAL that an earlier process
  // left. kInvalid: a pragma that does not take effect, an SQLite without FTS5 or too old, a
  // network file system; kConflict: this process writes the file already; kFull; kInternal with
  // SQLite's message.
  static base::Result<Database> Open(const std::string& path, const Options& options);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  // `sql` is a literal of this program; values are always bound. Each connection caches compiled
  // statements by text; the destructor of the returned handle resets the statement.
  base::Result<Statement> Prepare(std::string_view sql);
  base::Status Execute(const char* script);  // one or more statements without values
  int64_t LastInsertId() const;
  int64_t Changes() const;
  // Reads end with kTimeout `milliseconds` from now, or when `stop` is requested; 0: no deadline.
  // Nested deadlines: TimeLimit.
  void SetDeadline(int64_t milliseconds, std::stop_token stop = {});
  // For loops between calls: the error of a deadline that is over, if any.
  base::Status WithinLimits();
  // PRAGMA integrity_check, and CheckIndex for each fts table.
  base::Status CheckIntegrity(const std::vector<std::string>& fts_tables);
  // FTS5 'integrity-check' with rank 1, which compares the index with its content table. Takes the
  // write lock. `fts_table` is a literal of this program.
  base::Status CheckIndex(const std::string& fts_table);
  // For the writer only. Checkpoints the WAL into the file and syncs the file; kEmpty also
  // truncates the WAL and drops cached pages, so that no later write contains their old bytes.
  // kUnavailable: readers still need a part of the WAL after `wait_ms`; kFull.
  enum class Log { kKeep, kEmpty };
  base::Status Checkpoint(Log log, int wait_ms = 0);
  // For the writer only. Zeroes remains of deleted rows in `count` pages of the file from page
  // `first` (zero-based) on, for files of earlier versions (clean_pages.h). → the page to continue
  // at; 0: the end.
  base::Result<int64_t> CleanPages(int64_t first, int64_t count);
  int LogPages() const;      // in the WAL after the last commit; 0: all of them are in the file
  int64_t LogBytes() const;  // of those
  base::Result<int64_t> ReusableBytes();  // on the freelist of the file
  base::Result<int64_t> UsedBytes();      // of the others, as this connection sees the file
  // A write or a sync failed for another reason than space: the process must acknowledge nothing
  // more, exit, and restart from what is on disk.
  bool Broken() const;
  bool MetDamage() const;  // a call reported corruption since ForgetDamage
  void ForgetDamage();
  bool MetFull() const;  // a call reported a full disk since ForgetFull
  void ForgetFull();
  // The rows that row_is_sound rejected on this connection since the last call.
  std::vector<UnsoundRow> TakeUnsoundRows();
  sqlite3* handle() const;  // for FTS5 auxiliary functions and the backup API only

 private:
  explicit Database(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  base::Status SetUp(const std::string& path, const Options& options);
  base::Result<int64_t> Number(const char* pragma);
  std::shared_ptr<Connection> connection_;
  friend class Statement;
  friend class Transaction;
  friend class TimeLimit;
};

// During its lifetime, calls on the connection fail with `error` once `milliseconds` have passed
// since its construction, or when `stop` is requested. Enclosing limits apply too, and their errors
// take precedence. Limits are destroyed in reverse order of construction.
class TimeLimit {
 public:
  TimeLimit(Database& database, int64_t milliseconds, std::stop_token stop = {},
            base::Error error = {base::Code::kTimeout, "the deadline of a query is over"});
  TimeLimit(TimeLimit&& other) noexcept = default;
  ~TimeLimit();
  bool Met() const;  // this limit ended a call

 private:
  std::shared_ptr<Connection> connection_;
  size_t place_;
};

// A prepared statement with its values. Bind in order, then Step (rows) or Run (no rows).
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();  // resets the statement and returns it to the cache

  Statement& Bind(int64_t value);
  Statement& Bind(double value);
  Statement& Bind(std::string_view text);  // copied
  Statement& Bind(const char* text) { return Bind(std::string_view(text)); }
  Statement& Bind(const std::string& text) { return Bind(std::string_view(text)); }
  Statement& Bind(const std::optional<std::string>& text);  // nullopt: NULL
  Statement& Bind(std::optional<int64_t> value) { return value ? Bind(*value) : BindNull(); }
  Statement& BindNull();
  Statement& BindBlob(std::string_view bytes);
  // Binds the columns of the current row of `from`, from column `first` on, with their types.
  Statement& BindRow(const Statement& from, int first);

  base::Result<bool> Step();  // true: a row is available
  base::Status Run();         // steps to the end and ignores rows

  // Steps to the end and calls `on_row(const Statement&)` for each row. `on_row` returns void; or a
  // Status, whose error ends the loop; or a bool or Result<bool>, of which false ends the loop too.
  template <class OnRow>
  base::Status ForEachRow(OnRow&& on_row);
  // `read(const Statement&)` of each row.
  template <class Read>
  auto ReadAll(Read&& read);  // → Result<std::vector<T>>
  // `read` of the first row; nullopt without a row. Later rows are not stepped to: a statement with
  // RETURNING applies its change at the end and needs Run() afterwards.
  template <class Read>
  auto ReadFirst(Read&& read);  // → Result<std::optional<T>>

  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;  // bytes as stored; NULL: empty
  std::optional<std::string> OptionalText(int column) const;
  bool IsNull(int column) const;

 private:
  friend class Database;
  Statement(std::shared_ptr<Connection> connection, sqlite3_stmt* statement);
  std::shared_ptr<Connection> connection_;
  sqlite3_stmt* statement_;
  int next_ = 1;
  int bind_error_ = 0;
};

template <class OnRow>
base::Status Statement::ForEachRow(OnRow&& on_row) {
  using Answer = std::invoke_result_t<OnRow&, const Statement&>;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return {};
    if constexpr (std::is_void_v<Answer>) {
      on_row(*this);
    } else if constexpr (std::is_same_v<Answer, base::Status>) {
      RETURN_IF_ERROR(on_row(*this));
    } else {
      ASSIGN_OR_RETURN(const bool more, base::Result<bool>(on_row(*this)));
      if (!more) return {};
    }
  }
}

template <class Read>
auto Statement::ReadAll(Read&& read) {
  using Rows = std::vector<std::invoke_result_t<Read&, const Statement&>>;
  Rows rows;
  base::Status ended = ForEachRow([&](const Statement& row) { rows.push_back(read(row)); });
  return ended ? base::Result<Rows>(std::move(rows)) : base::Result<Rows>(ended.error());
}

template <class Read>
auto Statement::ReadFirst(Read&& read) {
  using First = std::optional<std::invoke_result_t<Read&, const Statement&>>;
  base::Result<bool> row = Step();
  if (!row) return base::Result<First>(row.error());
  return base::Result<First>(*row ? First(read(*this)) : First());
}

// BEGIN IMMEDIATE … Commit; the destructor rolls back what is not committed. Nested: a savepoint.
class Transaction {
 public:
  static base::Result<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  ~Transaction();
  base::Status Commit();  // without an error the changes are synced to disk

 private:
  Transaction(Database& database, int depth) : database_(&database), depth_(depth) {}
  Database* database_;
  int depth_;
};

// A versioned schema: step i brings user_version from i to i+1, each in one transaction. A file
// newer than `steps` is refused with kInvalid.
base::Status Migrate(Database& database, const std::vector<const char*>& steps);

}  // namespace sqlite
