// The mapping of SQLite's result codes.
#include "lib/sqlite/errors.h"

namespace sqlite {

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
  std::string words = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(rc);
  return {code, what + ": " + words + " (SQLite code " + std::to_string(rc) + ")"};
}

}  // namespace sqlite
