// Refuses a data directory that a newer version of the program has written, before anything is
// served from it. Each file is refused again when it is opened; here it is said at start, when
// whoever rolls a version back still looks.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace memory {

// Reads the schema version out of the head of each tenant's file and changes nothing. kInvalid for
// the first that is newer than SchemaSteps(); what cannot be read is left to whoever opens it.
base::Status RefuseNewerSchemas(const std::string& directory);

}  // namespace memory
