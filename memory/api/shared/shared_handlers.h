// Shared memory in exports and imports: the checks of /shared, and a value's line.
#pragma once

#include <string>
#include <vector>

#include "memory/api/handlers.h"

namespace memory {

// The owners, in order, whose values an export contains: those that the caller may read.
// kUnavailable: no decision now.
base::Result<std::vector<std::string>> OwnersToRead(const Api& api, const http::Request& request);
// kDenied: the caller may not write what Agent `owner` shares; kUnavailable: no decision now.
base::Status MayWriteShared(const Api& api, const http::Request& request, const std::string& owner);
// {"agent", "key", "value", "version", "expires_at"?}; the expiry is of the wall clock. A value
// that nests too deep for a line of an export is its JSON in "text".
base::Result<base::Json> EncodeExportedShared(const Cell& item);
base::Result<Cell> DecodeExportedShared(const base::Json& json);

}  // namespace memory
