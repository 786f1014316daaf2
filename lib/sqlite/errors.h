// Maps SQLite's result codes to base::Error. Private to lib/sqlite.
#pragma once

#include <sqlite3.h>

#include <string>

#include "lib/base/result.h"

namespace sqlite {

// `handle` may be null. No space, disk quota or file size left → kFull; BUSY, too little memory, no
// descriptor left → kUnavailable, which is never read as damage; INTERRUPT → kTimeout, CONSTRAINT →
// kConflict.
base::Error MakeError(sqlite3* handle, int rc, const std::string& what);

// True when a write or a sync failed for another reason than space: what the page cache shows may
// not be on the disk, now or ever (Rebello et al., "Can Applications Recover from fsync Failures?",
// 2020).
bool BreaksTrust(sqlite3* handle, int rc);

bool IsDamage(int rc);  // the file is corrupt

}  // namespace sqlite
