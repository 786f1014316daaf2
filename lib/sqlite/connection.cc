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

sqlite3_stmt* StatementCache::Take(std::string_view sql) {
  const auto entry = of_text_.find(sql);
  if (entry == of_text_.end() || entry->second.empty()) return nullptr;
  sqlite3_stmt* statement = entry->second.back();
  entry->second.pop_back();
  --idle_;
  return statement;
}

void StatementCache::Note(std::string_view sql, sqlite3_stmt* statement) {
  home_[statement] = &of_text_[std::string(sql)];
}

void StatementCache::Give(sqlite3_stmt* statement) {
  const auto home = home_.find(statement);
  if (idle_ < kMostIdle) {
    home->second->push_back(statement);
    ++idle_;
    return;
  }
  home_.erase(home);
  sqlite3_finalize(statement);
}

void StatementCache::Clear() {
  for (auto& [sql, statements] : of_text_)
    for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
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
    if (Limit* limit = Over()) {
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

Connection::Limit* Connection::Over() {
  int64_t now_ms = 0;
  for (Limit& limit : limits) {
    if (limit.stop.stop_requested()) return &limit;
    if (limit.deadline_ms == 0) continue;
    if (now_ms == 0) now_ms = clock->MonotonicMs();
    if (now_ms > limit.deadline_ms) return &limit;
  }
  return nullptr;
}

}  // namespace sqlite
