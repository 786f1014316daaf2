// Opens a connection: sets the pragmas that durability and safety depend on, reads them back, and
// refuses a file where one does not take effect.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstring>

#include "lib/base/process/file.h"
#include "lib/sqlite/clean_pages.h"
#include "lib/sqlite/connection.h"
#include "lib/sqlite/database.h"
#include "lib/sqlite/errors.h"
#include "lib/sqlite/library.h"
#include "lib/sqlite/log_rewrite.h"
#include "lib/sqlite/row_checksum.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

// WAL needs shared memory of one host: network file systems are refused.
Status CheckFileSystem(const std::string& path) {
  std::string directory = path.substr(0, path.find_last_of('/') + 1);
  struct statfs facts {};
  if (statfs(directory.empty() ? "." : directory.c_str(), &facts) != 0)
    return {};  // sqlite3_open_v2 reports the error
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

struct Pragma {
  const char* name;
  const char* value;
  const char* wanted;  // the value to read back
};

// Journal mode first: it is a property of the file, the others are of the connection.
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

// Sets each pragma and reads it back, since SQLite refuses some silently.
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
                                       "': writes would not be durable with this SQLite or on this "
                                       "volume; use the SQLite of the image and a local volume"};
    }
  }
  return {};
}

// Switches of sqlite3_db_config; each call returns the resulting state.
Status ApplySwitches(sqlite3* handle, Access access) {
  const bool writer = access == Access::kWriter;
  // SQLITE_DBCONFIG_DEFENSIVE forces a journal, which in a temporary file costs as much memory as
  // the changes.
  const int defended = access == Access::kScratch || access == Access::kMemory ? 0 : 1;
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

// The pragmas that write to the file despite query_only, or turn query_only off.
int RefuseOfReaders(void*, int action, const char* name, const char* value, const char*,
                    const char*) {
  if (action != SQLITE_PRAGMA || !name) return SQLITE_OK;
  for (const char* refused : {"wal_checkpoint", "wal_autocheckpoint", "incremental_vacuum"})
    if (!sqlite3_stricmp(name, refused)) return SQLITE_DENY;
  for (const char* only_read : {"query_only", "journal_mode", "user_version"})
    if (value && !sqlite3_stricmp(name, only_read)) return SQLITE_DENY;
  return SQLITE_OK;
}

// "immutable" also keeps SQLite from opening the WAL of a file in WAL mode.
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

Result<Database> Database::Open(const std::string& path, const Options& options) {
  ConfigureLibrary();
  RETURN_IF_ERROR(CheckLibrary());
  const bool memory = options.access == Access::kMemory;
  if (!memory) RETURN_IF_ERROR(CheckFileSystem(path));
  auto connection =
      std::make_shared<Connection>(options.clock ? *options.clock : base::SystemClock());
  connection->on_damage = options.on_damage;
  connection->on_broken = options.on_broken;
  const bool writer = options.access == Access::kWriter;
  const bool foreign = options.access == Access::kForeign;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (foreign ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE) |
                    (memory ? SQLITE_OPEN_MEMORY : 0) | (writer || memory ? SQLITE_OPEN_CREATE : 0);
  mode_t old_mask = umask(0077);
  int rc = sqlite3_open_v2((foreign ? ForeignName(path) : path).c_str(), &connection->handle, flags,
                           writer ? CleanPagesVfs() : nullptr);
  umask(old_mask);
  if (rc != SQLITE_OK) return MakeError(connection->handle, rc, "open " + path);
  if (writer) RETURN_IF_ERROR(connection->BecomeTheWriter(path));
  sqlite3* handle = connection->handle;
  RETURN_IF_ERROR(ApplySwitches(handle, options.access));
  if (!foreign) RETURN_IF_ERROR(AddRowChecksum(handle, &connection->unsound));
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  sqlite3_progress_handler(
      handle, 2000,
      [](void* self) -> int { return static_cast<Connection*>(self)->limits->Over() != nullptr; },
      connection.get());

  Database database(connection);
  if (Status set = database.SetUp(path, options); !set) return base::Wrap(path, set.error());
  return database;
}

Status Database::SetUp(const std::string& path, const Options& options) {
  const bool writer = options.access == Access::kWriter;
  if (options.access == Access::kMemory) return {};
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
  // The WAL of an earlier process may contain frames whose sync failed: the page cache has them,
  // the disk may not. A checkpoint writes them to the file and syncs it; then a new WAL begins.
  Status copied = Checkpoint(Log::kEmpty);
  bool later = !copied && !Broken() &&
               (copied.error().code == Code::kFull || copied.error().code == Code::kUnavailable);
  if (!copied && !later) return base::Wrap("recover", copied.error());
  // Without a checkpoint, later commits follow those frames in the same WAL: rewrite it.
  if (later) {
    Status rewritten = RewriteLog(path + "-wal");
    const bool broken = !rewritten && rewritten.error().code == Code::kInternal;
    if (broken && options.on_broken) options.on_broken(rewritten.error());
    if (!rewritten) return base::Wrap("recover", rewritten.error());
  }
  // The directory entries of new files must be durable before the first acknowledgment.
  Status synced = base::SyncDirectory(
      path.find('/') == std::string::npos ? "." : path.substr(0, path.find_last_of('/') + 1));
  if (!synced && options.on_broken) options.on_broken(synced.error());
  return synced;
}

}  // namespace sqlite
