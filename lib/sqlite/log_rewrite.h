// Making a write-ahead log durable that cannot be taken into its file now. Private to lib/sqlite.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace sqlite {

// Writes each byte of the file over itself and syncs it. After a sync that failed the page cache
// may show what the disk does not have, and a later sync does not write it again: a commit behind
// it would be lost with it. No file: nothing is done. kFull; kInternal: nothing may be
// acknowledged.
base::Status RewriteLog(const std::string& path);

}  // namespace sqlite
