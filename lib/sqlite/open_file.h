// What a Database, its Statements and its cache of compiled texts share. Private to lib/sqlite.
#pragma once

#include <sqlite3.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/sqlite/database.h"

namespace sqlite {

inline constexpr int kBusyTimeoutMs = 5000;

struct Database::Connection {
  sqlite3* handle = nullptr;
  struct Limit {
    int64_t deadline_ms = 0;  // monotonic; 0: none
    std::stop_token stop;
    base::Error error = {base::Code::kTimeout, ""};  // of the call that it ends
    bool met = false;
  };
  std::vector<Limit> limits = std::vector<Limit>(1);  // outermost first; the first is SetDeadline's
  const base::Clock* clock = &base::SystemClock();
  int depth = 0;         // of nested transactions
  int log_pages = 0;     // in the write-ahead log after the last commit
  bool broken = false;   // see Database::Broken
  bool damaged = false;  // see Database::MetDamage
  bool full = false;     // see Database::MetFull
  std::function<void(const base::Error&)> on_damage, on_broken;
  std::pair<uint64_t, uint64_t> written_file = {0, 0};  // device and inode, of a writer
  std::vector<UnsoundRow> unsound;                      // see Database::TakeUnsoundRows
  std::multimap<std::string, sqlite3_stmt*, std::less<>> idle;

  ~Connection();
  Limit* Over();  // the outermost limit that is over; null: none
  // The error of a call on this connection, which is remembered when it breaks trust in the file.
  base::Error Fail(int rc, const std::string& what);
};

// Sets what holds for the whole process, once: before whatever else uses SQLite, which takes no
// settings any more after its first call.
void ConfigureLibrary();

// SQLite syncs a directory for a new file's name and forgets an error of that; this does not.
// Process-wide, since all files share a volume. Called once, before the first open.
void WatchDirectorySyncs();
bool DirectorySyncFailed();

}  // namespace sqlite
