// SQLite behind values and Results: Database, Statement, Transaction. Every pragma that durability
// rests on is set and read back at open. A connection belongs to one
// thread at a time.
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

namespace sqlite {

enum class Access {
  kWriter,   // WAL, synchronous FULL; the one connection of a file that writes and checkpoints
  kReader,   // query_only, no checkpoints
  kCopier,   // a reader that may make another file: for VACUUM INTO alone
  kScratch,  // a file of ours that nobody needs after a crash: no journal, no sync
  kForeign,  // a file from elsewhere: read-only, taken to stand still, nothing in it is trusted
};

class Statement;

// A row whose values are not what was written (row_checksum.h).
struct UnsoundRow {
  std::string table;
  int64_t rowid = 0;
};

class Database {
 public:
  struct Options {
    Access access = Access::kWriter;
    int cache_kib = 2048;
    // Told of each error that says the file is damaged, and of each that makes it Broken, on the
    // thread that met it.
    std::function<void(const base::Error&)> on_damage = nullptr, on_broken = nullptr;
    const base::Clock* clock = nullptr;  // that deadlines are read from; null: the system's
  };
  // Opens or makes the file (mode 0600); a writer brings the log of the life before into the file.
  // kInvalid: a pragma that does not hold, an SQLite without FTS5 or too old, a network file
  // system; kConflict: this process writes the file already; kFull; kInternal with SQLite's words.
  static base::Result<Database> Open(const std::string& path, const Options& options);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  // `sql` is a literal of ours; values are always bound. Compiled once per text and kept (per
  // connection); the statement is reset when the returned handle dies.
  base::Result<Statement> Prepare(std::string_view sql);
  base::Status Execute(const char* script);  // one or more statements without values
  int64_t LastInsertId() const;
  int64_t Changes() const;
  // Long reads end with kTimeout after `milliseconds` from now, or when `stop` says so; 0: no
  // limit. Limits inside it: TimeLimit.
  void SetDeadline(int64_t milliseconds, std::stop_token stop = {});
  // For work between calls: the error of the limit that is over, if one is.
  base::Status WithinLimits();
  // PRAGMA integrity_check, and CheckIndex for each fts table.
  base::Status CheckIntegrity(const std::vector<std::string>& fts_tables);
  // FTS5 'integrity-check' with rank 1, which compares with the content. Takes the
  // write lock. `fts_table` is a name of ours.
  base::Status CheckIndex(const std::string& fts_table);
  // For the one writer only. Copies the write-ahead log into the file and syncs it; kEmpty also
  // gives the log's room back, and forgets the cached pages: what is written next has nothing of
  // what they held. kUnavailable: readers still need a part of the log, and did not end within
  // `wait_ms`; kFull.
  enum class Log { kKeep, kEmpty };
  base::Status Checkpoint(Log log, int wait_ms = 0);
  // For the one writer only. Goes over `count` pages of the file, from number `first` (from 0) on,
  // and removes what SQLite left of deleted rows in their free middle (clean_pages.h says what; it
  // is not written any more). → where to go on; 0: that was the end.
  base::Result<int64_t> CleanPages(int64_t first, int64_t count);
  int LogPages() const;      // in the log after the last commit; 0: all of it is in the file
  int64_t LogBytes() const;  // of those
  base::Result<int64_t> ReusableBytes();  // free inside the file: what deletes gave back
  base::Result<int64_t> UsedBytes();      // of the file, without those; within a transaction, of it
  // A write or a sync failed for another reason than space: nothing may be acknowledged any more,
  // the process must end and begin again from what is on the disk.
  bool Broken() const;
  bool MetDamage() const;  // a call found damage in the file, since ForgetDamage
  void ForgetDamage();
  bool MetFull() const;  // a call found no space left on the disk, since ForgetFull
  void ForgetFull();
  // The rows that row_is_sound found changed on this connection since the last call.
  std::vector<UnsoundRow> TakeUnsoundRows();
  sqlite3* handle() const;  // for FTS5 auxiliary functions and the backup API only

 private:
  struct Connection;
  explicit Database(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  base::Status SetUp(const std::string& path, const Options& options);
  base::Result<int64_t> Number(const char* pragma);
  std::shared_ptr<Connection> connection_;
  friend class Statement;
  friend class Transaction;
  friend class TimeLimit;
};

// While it lives, calls on the connection end with `error` that run longer than until
// `milliseconds` from now, or when `stop` says so. The limits around it hold too, and their errors
// come first; the one made last dies first.
class TimeLimit {
 public:
  TimeLimit(Database& database, int64_t milliseconds, std::stop_token stop = {},
            base::Error error = {base::Code::kTimeout, "the deadline of a query is over"});
  TimeLimit(TimeLimit&& other) noexcept = default;
  ~TimeLimit();
  bool Met() const;  // it ended a call

 private:
  std::shared_ptr<Database::Connection> connection_;
  size_t place_;
};

// A prepared statement with its values. Bind in order, then Step (rows) or Run (no rows).
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();  // resets and gives the statement back

  Statement& Bind(int64_t value);
  Statement& Bind(double value);
  Statement& Bind(std::string_view text);  // copied
  Statement& Bind(const char* text) { return Bind(std::string_view(text)); }
  Statement& Bind(const std::string& text) { return Bind(std::string_view(text)); }
  Statement& Bind(const std::optional<std::string>& text);  // nullopt: NULL
  Statement& Bind(std::optional<int64_t> value) { return value ? Bind(*value) : BindNull(); }
  Statement& BindNull();
  Statement& BindBlob(std::string_view bytes);
  // The columns of the row that `from` stands on, from column `first` on, as they are.
  Statement& BindRow(const Statement& from, int first);

  base::Result<bool> Step();  // true: there is a row
  base::Status Run();         // steps to the end; rows are not expected

  // Steps to the end and calls `on_row(const Statement&)` on each row. `on_row` returns nothing; or
  // a Status, whose error ends the loop; or a bool or Result<bool>, where false ends it as well.
  template <class OnRow>
  base::Status ForEachRow(OnRow&& on_row);
  // What `read(const Statement&)` makes of each row.
  template <class Read>
  auto ReadAll(Read&& read);  // → Result<std::vector<T>>
  // What `read` makes of the first row; nullopt when there is no row. The rows behind it are not
  // stepped to: a change with RETURNING, which happens at the end, needs Run() afterwards.
  template <class Read>
  auto ReadFirst(Read&& read);  // → Result<std::optional<T>>

  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;  // bytes as stored; NULL: empty
  std::optional<std::string> OptionalText(int column) const;
  bool IsNull(int column) const;

 private:
  friend class Database;
  Statement(std::shared_ptr<Database::Connection> connection, sqlite3_stmt* statement);
  std::shared_ptr<Database::Connection> connection_;
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

// BEGIN IMMEDIATE … Commit; rolled back when it dies uncommitted. Nested: a savepoint.
class Transaction {
 public:
  static base::Result<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  ~Transaction();
  base::Status Commit();  // synced to the disk when it returns without an error

 private:
  Transaction(Database& database, int depth) : database_(&database), depth_(depth) {}
  Database* database_;
  int depth_;
};

// A versioned schema: step i brings user_version from i to i+1, each in one transaction. A file
// newer than `steps` is refused with kInvalid.
base::Status Migrate(Database& database, const std::vector<const char*>& steps);

}  // namespace sqlite
