// The state that a Database and its cursors share: the handle, the statement cache, limits, and
// what calls reported. Private to lib/sqlite.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sql/database.h"

namespace sqlite {

struct Connection;

// A compiled statement, which belongs to the cache of its connection.
class SqliteCursor final : public sql::Cursor {
 public:
  SqliteCursor(Connection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  ~SqliteCursor() { sqlite3_finalize(statement_); }
  SqliteCursor(const SqliteCursor&) = delete;
  SqliteCursor& operator=(const SqliteCursor&) = delete;
  void BindInt(int parameter, int64_t value) override;
  void BindReal(int parameter, double value) override;
  void BindText(int parameter, std::string_view text) override;
  void BindBlob(int parameter, std::string_view bytes) override;
  void BindNull(int parameter) override;
  base::Result<bool> Step() override;
  int Columns() const override;
  bool IsNull(int column) const override;
  bool IsBlob(int column) const override;
  bool IsReal(int column) const override;
  bool IsInt(int column) const override;
  int64_t Int(int column) const override;
  double Real(int column) const override;
  std::string_view Text(int column) const override;
  void GiveBack() override;

 private:
  friend class StatementCache;
  Connection& connection_;
  sqlite3_stmt* const statement_;
  std::vector<SqliteCursor*>* home_ = nullptr;  // of its text in the cache
  int bind_error_ = SQLITE_OK;
};

// Compiled statements by text. A text keeps its entry, so that taking and giving back a statement
// allocates nothing.
class StatementCache {
 public:
  SqliteCursor* Take(std::string_view sql);                 // null: none is idle
  void Note(std::string_view sql, SqliteCursor& compiled);  // just now; its user has it
  void Give(SqliteCursor& cursor);                          // back by its user, after a reset
  void Clear();                                             // deletes the idle ones

 private:
  static constexpr size_t kMostIdle = 128;
  using Idle = std::vector<SqliteCursor*>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, Idle, Hash, std::equal_to<>> of_text_;
  size_t idle_ = 0;
};

inline constexpr int kBusyTimeoutMs = 5000;

struct Connection {
  explicit Connection(const base::Clock& clock) : limits(std::make_shared<sql::Limits>(clock)) {}
  sqlite3* handle = nullptr;
  std::shared_ptr<sql::Limits> limits;
  int depth = 0;           // of nested transactions
  int log_pages = 0;       // in the WAL after the last commit
  int64_t page_bytes = 0;  // 0: not read yet; a file keeps it
  bool broken = false;     // see Database::Broken
  bool damaged = false;    // see Database::MetDamage
  bool full = false;       // see Database::MetFull
  std::function<void(const base::Error&)> on_damage, on_broken;
  std::pair<uint64_t, uint64_t> written_file = {0, 0};  // device and inode, of a writer
  std::vector<sql::UnsoundRow> unsound;                 // see Database::TakeUnsoundRows
  StatementCache statements;

  ~Connection();
  // Makes this the one writer of the open file. kConflict: this process has another one.
  base::Status BecomeTheWriter(const std::string& path);
  // Maps the error of a call on this connection, and sets `broken`, `damaged` and `full`.
  base::Error Fail(int rc, const std::string& what);
};

}  // namespace sqlite
