// SQLite itself: its version, and its configuration for the whole process. Private to lib/sqlite.
#pragma once

#include "lib/base/result.h"

namespace sqlite {

// Configures SQLite for the whole process, once. Must run before any other use of SQLite, which
// accepts no configuration after its first call.
void ConfigureLibrary();

// kInvalid: too old, without FTS5, or for one thread only.
base::Status CheckLibrary();

// SQLite syncs the directory of a new file and ignores an error of that sync; here it is kept, for
// the process, since all files share a volume.
bool DirectorySyncFailed();

}  // namespace sqlite
