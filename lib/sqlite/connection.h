// The state that a Database, its Statements, Transactions and TimeLimits share: the handle, the
// statement cache, limits, and what calls reported. Private to lib/sqlite.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sqlite/row_checksum.h"

namespace sqlite {

// Compiled statements by text. A text keeps its entry, so that taking and giving back a statement
// allocates nothing.
class StatementCache {
 public:
  sqlite3_stmt* Take(std::string_view sql);                  // null: none is idle
  void Note(std::string_view sql, sqlite3_stmt* statement);  // compiled just now; its user has it
  void Give(sqlite3_stmt* statement);                        // back by its user, after a reset
  void Clear();                                              // finalizes the idle ones

 private:
  static constexpr size_t kMostIdle = 128;
  using Idle = std::vector<sqlite3_stmt*>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, Idle, Hash, std::equal_to<>> of_text_;
  std::unordered_map<sqlite3_stmt*, Idle*> home_;  // of each statement that is not finalized
  size_t idle_ = 0;
};

inline constexpr int kBusyTimeoutMs = 5000;

struct Connection {
  sqlite3* handle = nullptr;
  struct Limit {
    int64_t deadline_ms = 0;  // monotonic; 0: none
    std::stop_token stop;
    base::Error error = {base::Code::kTimeout, ""};  // of the call that it ends
    bool met = false;
  };
  std::vector<Limit> limits = std::vector<Limit>(1);  // outermost first; the first is SetDeadline's
  const base::Clock* clock = &base::SystemClock();
  int depth = 0;           // of nested transactions
  int log_pages = 0;       // in the WAL after the last commit
  int64_t page_bytes = 0;  // 0: not read yet; a file keeps it
  bool broken = false;     // see Database::Broken
  bool damaged = false;    // see Database::MetDamage
  bool full = false;       // see Database::MetFull
  std::function<void(const base::Error&)> on_damage, on_broken;
  std::pair<uint64_t, uint64_t> written_file = {0, 0};  // device and inode, of a writer
  std::vector<UnsoundRow> unsound;                      // see Database::TakeUnsoundRows
  StatementCache statements;

  ~Connection();
  // Makes this the one writer of the open file. kConflict: this process has another one.
  base::Status BecomeTheWriter(const std::string& path);
  Limit* Over();  // the outermost limit that has passed; null: none
  // Maps the error of a call on this connection, and sets `broken`, `damaged` and `full`.
  base::Error Fail(int rc, const std::string& what);
};

}  // namespace sqlite
