// Opening a connection: what durability and safety rest on is set here, read back, and refused when
// it is not so.
#include "lib/sqlite/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"
#include "lib/sqlite/clean_pages.h"
#include "lib/sqlite/errors.h"
#include "lib/sqlite/log_rewrite.h"
#include "lib/sqlite/page_cache.h"
#include "lib/sqlite/row_checksum.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr int kOldestVersion = 3040001;  // Debian 12; what the tests ran with

std::atomic<bool> directory_sync_failed{false};

// In place of SQLite's own: it opens the directory, SQLite syncs it and drops the error. Here the
// sync is done and its error kept; "cannot open" then tells SQLite that there is nothing to do.
int SyncDirectoryOf(const char* path, int* descriptor) {
  *descriptor = -1;
  std::string directory(path, strrchr(path, '/') ? strrchr(path, '/') - path + 1 : 0);
  if (!base::SyncDirectory(directory.empty() ? "." : directory)) directory_sync_failed = true;
  return SQLITE_CANTOPEN;
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
      return Error{Code::kInvalid, directory + " is on " + name +
                                       ": the database needs a local file system, such as a block "
                                       "volume with ext4 or xfs"};
    }
  }
  return {};
}

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

struct Pragma {
  const char* name;
  const char* value;
  const char* wanted;  // when it is read back
};

// Journal mode first: the others hold for the connection, it for the file.
constexpr Pragma kOfWriters[] = {
    {"journal_mode", "WAL", "wal"},
    {"synchronous", "FULL", "2"},
    {"secure_delete", "ON", "1"},
    {"journal_size_limit", "67108864", "67108864"},
};
constexpr Pragma kOfAll[] = {
    {"foreign_keys", "ON", "1"}, {"trusted_schema", "OFF", "0"}, {"cell_size_check", "ON", "1"},
    {"mmap_size", "0", "0"},     {"temp_store", "MEMORY", "2"},  {"wal_autocheckpoint", "0", "0"},
};
constexpr Pragma kOfReaders[] = {{"query_only", "ON", "1"}};
constexpr Pragma kOfScratch[] = {
    {"journal_mode", "OFF", "off"}, {"synchronous", "OFF", "0"}, {"secure_delete", "ON", "1"}};

// Sets each pragma and reads it back: a silent refusal must not pass.
template <size_t kCount>
Status ApplyPragmas(Database& database, const Pragma (&pragmas)[kCount]) {
  for (const Pragma& pragma : pragmas) {
    std::string name = std::string("PRAGMA ") + pragma.name;
    RETURN_IF_ERROR(database.Execute((name + "=" + pragma.value).c_str()));
    ASSIGN_OR_RETURN(Statement read, database.Prepare(name));
    ASSIGN_OR_RETURN(bool row, read.Step());
    std::string value = row ? read.Text(0) : "";
    if (value != pragma.wanted) {
      return Error{Code::kInvalid, name + " is '" + value + "' and must be '" + pragma.wanted +
                                       "': this SQLite, or the volume, cannot keep what is "
                                       "written; use the SQLite of the image and a local volume"};
    }
  }
  return {};
}

// Switches of sqlite3_db_config; each says what it is after the call.
Status ApplySwitches(sqlite3* handle, Access access) {
  const bool writer = access == Access::kWriter;
  // A defended file has a journal. In a file of ours that nobody needs it would cost as much memory
  // as is changed.
  const int defended = access == Access::kScratch ? 0 : 1;
  struct Switch {
    int what, wanted;
    const char* name;
  };
  for (const Switch& change :
       {Switch{SQLITE_DBCONFIG_DEFENSIVE, defended, "DEFENSIVE"},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, "LOAD_EXTENSION"},
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, writer ? 0 : 1, "NO_CKPT_ON_CLOSE"}}) {
    int is = -1;
    sqlite3_db_config(handle, change.what, change.wanted, &is);
    if (is != change.wanted) {
      return Error{Code::kInvalid, std::string("SQLite does not take the switch ") + change.name +
                                       "=" + std::to_string(change.wanted)};
    }
  }
  return {};
}

// Files that this process writes. Two writing connections may meet SQLite's WAL-reset bug (3.7.0 to
// 3.51.2), which loses commits; other processes are kept out by the directory's lock.
std::mutex writers_mutex;
std::set<std::pair<uint64_t, uint64_t>> written_files;

Status BecomeTheWriter(const std::string& path, std::pair<uint64_t, uint64_t>& file) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return Error{Code::kInternal, path + ": " + strerror(errno)};
  std::pair<uint64_t, uint64_t> found(facts.st_dev, facts.st_ino);
  std::lock_guard lock(writers_mutex);
  if (!written_files.insert(found).second) {
    return Error{Code::kConflict, path +
                                      " is open for writing already: one connection writes and "
                                      "checkpoints a file, others read"};
  }
  file = found;
  return {};
}

// query_only leaves a few doors open: these pragmas write to the file, or end query_only.
int RefuseOfReaders(void*, int action, const char* name, const char* value, const char*,
                    const char*) {
  if (action != SQLITE_PRAGMA || !name) return SQLITE_OK;
  for (const char* refused : {"wal_checkpoint", "wal_autocheckpoint", "incremental_vacuum"})
    if (!sqlite3_stricmp(name, refused)) return SQLITE_DENY;
  for (const char* only_read : {"query_only", "journal_mode", "user_version"})
    if (value && !sqlite3_stricmp(name, only_read)) return SQLITE_DENY;
  return SQLITE_OK;
}

// "immutable" also keeps SQLite from looking for a log beside a file that says it has one.
std::string ForeignName(const std::string& path) {
  std::string name = "file:";
  for (char c : path) {
    if (c == '%' || c == '?' || c == '#')
      name += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
    else
      name += c;
  }
  return name + "?immutable=1";
}

}  // namespace

void WatchDirectorySyncs() {
  sqlite3_vfs* files = sqlite3_vfs_find(nullptr);
  if (files && files->iVersion >= 3 && files->xSetSystemCall) {
    files->xSetSystemCall(files, "openDirectory",
                          reinterpret_cast<sqlite3_syscall_ptr>(SyncDirectoryOf));
  }
}

// Without memory statistics reads scale over threads.
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

Database::Connection::~Connection() {
  for (auto& [sql, statement] : idle) sqlite3_finalize(statement);
  // What was not synced must not be copied into the file as if it were.
  if (handle && broken) sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_close_v2(handle);
  std::lock_guard lock(writers_mutex);
  written_files.erase(written_file);
}

Result<Database> Database::Open(const std::string& path, const Options& options) {
  ConfigureLibrary();
  RETURN_IF_ERROR(CheckLibrary());
  RETURN_IF_ERROR(CheckFileSystem(path));
  auto connection = std::make_shared<Connection>();
  connection->on_damage = options.on_damage;
  connection->on_broken = options.on_broken;
  if (options.clock) connection->clock = options.clock;
  const bool writer = options.access == Access::kWriter;
  const bool foreign = options.access == Access::kForeign;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (foreign ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE) |
                    (writer ? SQLITE_OPEN_CREATE : 0);
  mode_t old_mask = umask(0077);
  int rc = sqlite3_open_v2((foreign ? ForeignName(path) : path).c_str(), &connection->handle, flags,
                           writer ? CleanPagesVfs() : nullptr);
  umask(old_mask);
  if (rc != SQLITE_OK) return MakeError(connection->handle, rc, "open " + path);
  if (writer) RETURN_IF_ERROR(BecomeTheWriter(path, connection->written_file));
  sqlite3* handle = connection->handle;
  RETURN_IF_ERROR(ApplySwitches(handle, options.access));
  if (!foreign) RETURN_IF_ERROR(AddRowChecksum(handle, &connection->unsound));
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  sqlite3_progress_handler(
      handle, 2000,
      [](void* self) -> int { return static_cast<Connection*>(self)->Over() != nullptr; },
      connection.get());

  Database database(connection);
  if (Status set = database.SetUp(path, options); !set) return base::Wrap(path, set.error());
  return database;
}

Status Database::SetUp(const std::string& path, const Options& options) {
  const bool writer = options.access == Access::kWriter;
  if (writer) RETURN_IF_ERROR(ApplyPragmas(*this, kOfWriters));
  if (options.access == Access::kScratch) RETURN_IF_ERROR(ApplyPragmas(*this, kOfScratch));
  RETURN_IF_ERROR(ApplyPragmas(*this, kOfAll));
  RETURN_IF_ERROR(Execute(("PRAGMA cache_size=-" + std::to_string(options.cache_kib)).c_str()));
  if (options.access == Access::kReader || options.access == Access::kForeign) {
    RETURN_IF_ERROR(ApplyPragmas(*this, kOfReaders));
    sqlite3_set_authorizer(connection_->handle, RefuseOfReaders, nullptr);
  }
  if (!writer) return {};
  sqlite3_wal_hook(
      connection_->handle,
      [](void* self, sqlite3*, const char*, int pages) -> int {
        static_cast<Connection*>(self)->log_pages = pages;
        return SQLITE_OK;
      },
      connection_.get());
  // The log of the life before may hold frames whose sync failed: the page cache shows them, the
  // disk may not have them. Copied into the file and synced they are there; then a new log begins.
  Status copied = Checkpoint(Log::kEmpty);
  bool later = !copied && !Broken() &&
               (copied.error().code == Code::kFull || copied.error().code == Code::kUnavailable);
  if (!copied && !later) return base::Wrap("recover", copied.error());
  // Where it cannot be copied now, what is acknowledged next lies behind those frames.
  if (later) {
    Status rewritten = RewriteLog(path + "-wal");
    const bool broken = !rewritten && rewritten.error().code == Code::kInternal;
    if (broken && options.on_broken) options.on_broken(rewritten.error());
    if (!rewritten) return base::Wrap("recover", rewritten.error());
  }
  // Names of new files are durable before anything in them is acknowledged.
  Status synced = base::SyncDirectory(
      path.find('/') == std::string::npos ? "." : path.substr(0, path.find_last_of('/') + 1));
  if (!synced && options.on_broken) options.on_broken(synced.error());
  return synced;
}

}  // namespace sqlite
