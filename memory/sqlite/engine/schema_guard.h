// Refuses at start a data directory that a newer version of the program wrote, while the person who
// rolled back still looks. Opening a file refuses the file again.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace memory {

// Reads the schema version out of the head of each tenant's file and changes nothing. kInvalid for
// the first that is newer than SchemaSteps(); what cannot be read is left to whoever opens it.
base::Status RefuseNewerSchemas(const std::string& directory);

}  // namespace memory
