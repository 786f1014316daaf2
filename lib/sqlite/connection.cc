// Errors and limits of calls, and the registry of writers.
#include "lib/sqlite/connection.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "lib/sqlite/errors.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Status;

namespace {

// The files that this process writes. Two writing connections can trigger SQLite's WAL-reset bug
// (3.7.0 to 3.51.2), which loses commits; the lock of the directory excludes other processes.
std::mutex writers_mutex;
std::set<std::pair<uint64_t, uint64_t>> written_files;

}  // namespace

SqliteCursor* StatementCache::Take(std::string_view sql) {
  const auto entry = of_text_.find(sql);
  if (entry == of_text_.end() || entry->second.empty()) return nullptr;
  SqliteCursor* cursor = entry->second.back();
  entry->second.pop_back();
  --idle_;
  return cursor;
}

void StatementCache::Note(std::string_view sql, SqliteCursor& compiled) {
  compiled.home_ = &of_text_[std::string(sql)];
}

void StatementCache::Give(SqliteCursor& cursor) {
  if (idle_ < kMostIdle) {
    cursor.home_->push_back(&cursor);
    ++idle_;
    return;
  }
  delete &cursor;
}

void StatementCache::Clear() {
  for (auto& [sql, cursors] : of_text_)
    for (const SqliteCursor* cursor : cursors) delete cursor;
}

Connection::~Connection() {
  statements.Clear();
  // An automatic checkpoint would copy frames into the file whose sync failed.
  if (handle && broken) sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_close_v2(handle);
  std::lock_guard lock(writers_mutex);
  written_files.erase(written_file);
}

Status Connection::BecomeTheWriter(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return Error{Code::kInternal, path + ": " + strerror(errno)};
  std::pair<uint64_t, uint64_t> found(facts.st_dev, facts.st_ino);
  std::lock_guard lock(writers_mutex);
  if (!written_files.insert(found).second) {
    return Error{Code::kConflict, path +
                                      " is open for writing already: one connection writes and "
                                      "checkpoints a file, others read"};
  }
  written_file = found;
  return {};
}

Error Connection::Fail(int rc, const std::string& what) {
  broken = broken || BreaksTrust(handle, rc);
  Error error = MakeError(handle, rc, what);
  if ((rc & 0xFF) == SQLITE_INTERRUPT) {
    if (sql::Limits::Limit* limit = limits->Over()) {
      limit->met = true;
      if (!limit->error.message.empty()) error = limit->error;
    }
  }
  damaged = damaged || IsDamage(rc);
  full = full || error.code == Code::kFull;
  if (on_damage && IsDamage(rc)) on_damage(error);
  if (on_broken && broken) on_broken(error);
  return error;
}

}  // namespace sqlite
