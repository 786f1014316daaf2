// The mapping of SQLite's result codes.
#include "lib/sqlite/errors.h"

#include <errno.h>

namespace sqlite {
namespace {

// SQLite maps only ENOSPC to SQLITE_FULL, and not when it allocates its shared memory.
bool IsFull(sqlite3* handle, int rc) {
  if ((rc & 0xFF) == SQLITE_FULL || rc == SQLITE_IOERR_SHMSIZE) return true;
  int number = handle ? sqlite3_system_errno(handle) : 0;
  return (rc == SQLITE_IOERR_WRITE || (rc & 0xFF) == SQLITE_CANTOPEN) &&
         (number == EDQUOT || number == EFBIG || number == ENOSPC);
}

// Too little memory, too few descriptors or locks now: nothing about the file.
bool IsOverload(sqlite3* handle, int rc) {
  if ((rc & 0xFF) == SQLITE_NOMEM || (rc & 0xFF) == SQLITE_PROTOCOL) return true;
  if (rc == SQLITE_IOERR_NOMEM || rc == SQLITE_IOERR_LOCK || rc == SQLITE_IOERR_RDLOCK ||
      rc == SQLITE_IOERR_BLOCKED || rc == SQLITE_IOERR_SHMLOCK)
    return true;
  const int number = handle ? sqlite3_system_errno(handle) : 0;
  return ((rc & 0xFF) == SQLITE_CANTOPEN || (rc & 0xFF) == SQLITE_IOERR) &&
         (number == EMFILE || number == ENFILE || number == ENOMEM || number == EAGAIN);
}

}  // namespace

bool BreaksTrust(sqlite3* handle, int rc) {
  switch (rc) {
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
    case SQLITE_IOERR_TRUNCATE:
      return true;
    case SQLITE_IOERR_WRITE:
      return !IsFull(handle, rc);
    default:
      return false;
  }
}

bool IsDamage(int rc) { return (rc & 0xFF) == SQLITE_CORRUPT || (rc & 0xFF) == SQLITE_NOTADB; }

base::Error MakeError(sqlite3* handle, int rc, const std::string& what) {
  using base::Code;
  Code code = Code::kInternal;
  switch (rc & 0xFF) {
    case SQLITE_FULL:
      code = Code::kFull;
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      code = Code::kUnavailable;
      break;
    case SQLITE_INTERRUPT:
      code = Code::kTimeout;
      break;
    case SQLITE_CONSTRAINT:
      code = Code::kConflict;
      break;
    case SQLITE_TOOBIG:
      code = Code::kTooLarge;
      break;
    case SQLITE_CANTOPEN:
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      code = Code::kInternal;
      break;
    default:
      break;
  }
  if (IsOverload(handle, rc) && !BreaksTrust(handle, rc)) code = Code::kUnavailable;
  if (IsFull(handle, rc)) code = Code::kFull;
  std::string words = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(rc);
  return {code, what + ": " + words + " (SQLite code " + std::to_string(rc) + ")"};
}

}  // namespace sqlite
