// The state that a Database, its Statements, Transactions and TimeLimits share: the handle, the
// statement cache, limits, and what calls reported. Private to lib/sqlite.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sqlite/row_checksum.h"

namespace sqlite {

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
  std::multimap<std::string, sqlite3_stmt*, std::less<>> idle;

  ~Connection();
  // Makes this the one writer of the open file. kConflict: this process has another one.
  base::Status BecomeTheWriter(const std::string& path);
  Limit* Over();  // the outermost limit that has passed; null: none
  // Maps the error of a call on this connection, and sets `broken`, `damaged` and `full`.
  base::Error Fail(int rc, const std::string& what);
};

}  // namespace sqlite
