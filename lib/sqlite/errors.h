// SQLite's result codes as ours. Private to lib/sqlite.
#pragma once

#include <sqlite3.h>

#include <string>

#include "lib/base/result.h"

namespace sqlite {

// `handle` may be null. SQLITE_FULL is kFull, BUSY kUnavailable, INTERRUPT kTimeout, CONSTRAINT
// kConflict.
base::Error MakeError(sqlite3* handle, int rc, const std::string& what);

}  // namespace sqlite
