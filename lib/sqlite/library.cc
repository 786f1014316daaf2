// Replaces a system call of SQLite's, its page cache and its memory statistics.
#include "lib/sqlite/library.h"

#include <sqlite3.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

#include "lib/base/process/file.h"
#include "lib/sqlite/page_cache.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr int kOldestVersion = 3040001;  // Debian 12's; the tests run with it

std::atomic<bool> directory_sync_failed{false};

// Replaces SQLite's system call that opens a directory, after which SQLite syncs the directory and
// ignores the error. This one syncs, keeps the error, and answers "cannot open", so that SQLite
// skips its own sync.
int SyncDirectoryOf(const char* path, int* descriptor) {
  *descriptor = -1;
  std::string directory(path, strrchr(path, '/') ? strrchr(path, '/') - path + 1 : 0);
  if (!base::SyncDirectory(directory.empty() ? "." : directory)) directory_sync_failed = true;
  return SQLITE_CANTOPEN;
}

void WatchDirectorySyncs() {
  sqlite3_vfs* files = sqlite3_vfs_find(nullptr);
  if (files && files->iVersion >= 3 && files->xSetSystemCall) {
    files->xSetSystemCall(files, "openDirectory",
                          reinterpret_cast<sqlite3_syscall_ptr>(SyncDirectoryOf));
  }
}

}  // namespace

// Memory statistics take a global mutex: without them reads scale with threads.
void ConfigureLibrary() {
  static std::once_flag once;
  std::call_once(once, [] {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    InstallPageCaches();
    sqlite3_initialize();
    WatchDirectorySyncs();
  });
}

bool DirectorySyncFailed() { return directory_sync_failed; }

Status CheckLibrary() {
  if (sqlite3_libversion_number() < kOldestVersion) {
    return Error{Code::kInvalid, std::string("SQLite ") + sqlite3_libversion() +
                                     " is too old: 3.40.1 or later is needed"};
  }
  if (!sqlite3_compileoption_used("ENABLE_FTS5")) {
    return Error{Code::kInvalid, std::string("SQLite ") + sqlite3_libversion() +
                                     " was built without FTS5: install one that has it"};
  }
  if (!sqlite3_threadsafe()) {
    return Error{Code::kInvalid, std::string("SQLite ") + sqlite3_libversion() +
                                     " was built for one thread: install one with THREADSAFE=1"};
  }
  return {};
}

}  // namespace sqlite
