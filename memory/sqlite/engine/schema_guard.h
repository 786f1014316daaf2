// Refuses at start a data directory that a newer version of the program wrote, so that a rollback
// fails visibly. Opening a file checks the file again.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace memory {

// Reads the schema version in the header of each tenant's file and changes nothing. kInvalid for
// the first that is newer than SchemaSteps(). Unreadable files are skipped: opening them reports
// it.
base::Status RefuseNewerSchemas(const std::string& directory);

}  // namespace memory
