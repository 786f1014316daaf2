// The data directory: which tenants there are, and the file of each.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace memory {

// The path of a tenant's file, hex(sha256(name)) in `directory`; its name is in names.json,
// durably, before the file is made. Not for two threads at once.
base::Result<std::string> TenantFile(const std::string& directory, const std::string& name);

}  // namespace memory
