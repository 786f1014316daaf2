// Makes a WAL durable that cannot be checkpointed now. Private to lib/sqlite.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace sqlite {

// Overwrites each byte of the file with itself and syncs the file. After a failed sync the page
// cache may show bytes that the disk does not have, and a later sync does not write them again: a
// later commit in the same WAL would be lost with them. A missing file is a success. kFull;
// kInternal: the process must acknowledge nothing.
base::Status RewriteLog(const std::string& path);

}  // namespace sqlite
